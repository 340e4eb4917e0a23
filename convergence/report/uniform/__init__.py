"""What ``uniform`` says, a module a format."""
