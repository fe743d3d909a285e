drop table ssh_keys;
