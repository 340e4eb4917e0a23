"""What ``refine`` says, in each format."""
