"""Background work being done: who supervises jobs, one try of a job, and which block of a pipeline does it."""
