"""What ``simulate`` says, in each format."""
