"""What ``run`` says, in each format."""
