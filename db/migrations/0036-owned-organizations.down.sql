drop function organizations_owned();
