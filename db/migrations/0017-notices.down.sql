drop index outbox_events_notices;
drop table notice_marks;
