"""Why two dynamic instances are together or not."""
