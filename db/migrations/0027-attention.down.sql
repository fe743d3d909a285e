drop table alerts;
drop function alerts_hold();
