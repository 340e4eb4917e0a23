"""Who is together: the D-rules, keys, groups, who may still come. A reader of the definition starts here."""
