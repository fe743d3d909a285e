drop table node_launch_failures;
