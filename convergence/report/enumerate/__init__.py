"""What ``enumerate`` says, in each format."""
