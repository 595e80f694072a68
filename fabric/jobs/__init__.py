"""Background work as rows: jobs, their journal, the reach of a scope, and erasing a session's records."""
