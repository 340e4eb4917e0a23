"""What ``verify`` says, in each format."""
