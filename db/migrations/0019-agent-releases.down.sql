drop table agent_releases;
