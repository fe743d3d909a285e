drop table user_names;
