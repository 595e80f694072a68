"""What runs are made of: their record, secrets and spending, and what all runs of an open file share."""
