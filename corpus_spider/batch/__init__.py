"""Process whole archives to a release, without a database: on one machine, in tasks of a cluster, or on Spark."""
