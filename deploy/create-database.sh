# Runs once, in the empty PostgreSQL of compose.yaml: the service gets a role of its own, which is no superuser.
psql --set ON_ERROR_STOP=1 --set password="$POSTGRES_PASSWORD" --username postgres <<'SQL'
create role product_search login password :'password';
create database product_search owner product_search encoding 'UTF8' template template0;
-- Without a password, the superuser can connect only from inside the container.
alter role postgres password null;
SQL
