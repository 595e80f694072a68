"""Background work as rows: jobs, who may do them, and how they and a session's records are erased. Nothing runs."""
