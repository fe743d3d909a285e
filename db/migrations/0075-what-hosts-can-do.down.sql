alter table nodes drop column abilities;
