-- The number is another change's.
select;
