"""What ``drive`` says, a module a format."""
