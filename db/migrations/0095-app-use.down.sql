drop table app_use;
