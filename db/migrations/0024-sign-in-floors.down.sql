drop table sign_in_floors;
