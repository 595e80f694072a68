"""The open file and its sessions: where a program starts. What happens inside a run stands in runs."""
