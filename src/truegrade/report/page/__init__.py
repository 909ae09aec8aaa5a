"""The pages: the report and the playground, each one file that needs nothing else."""
