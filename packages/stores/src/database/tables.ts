import { productColumnDefinitions } from "./product-columns.ts";

/** How a store writes the types in which the two differ. */
export interface ColumnTypes {
  /** Compared by its bytes, whatever the language of the database. */
  text: string;
  bytes: string;
  real: string;
  /** A key that only increases and is never used twice, even after deletions; it may be given, for copies. */
  serial: string;
  /** Ends a table that is stored in the order of its key, where a store can. */
  byKey: string;
}

/** The tables that both stores have. Nothing has been released: edit them here, without a migration. */
export function commonTables(types: ColumnTypes): string {
  const { text, bytes, serial, byKey } = types;
  return `
create table accounts (
  id ${text} primary key,
  name ${text} not null unique,
  created_at bigint not null
);

create table tokens (
  id ${text} primary key,
  account_id ${text} not null references accounts (id),
  hash ${bytes} not null unique,
  hint ${text} not null,
  scopes ${text} not null,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  networks ${text},
  public_origins ${text},
  filter ${text}
);
create index tokens_by_last_use on tokens (last_used_at);

create table people (
  id ${text} primary key,
  name ${text} not null unique,
  account_id ${text} not null references accounts (id),
  scopes ${text} not null,
  created_at bigint not null,
  sessions_from bigint not null,
  revoked_at bigint,
  signed_in_at bigint,
  invite_hash ${bytes} unique,
  invite_until bigint
);

create table idempotency (
  account_id ${text} not null references accounts (id),
  operation ${text} not null,
  key ${text} not null,
  request_hash ${bytes} not null,
  status integer,
  body ${bytes},
  created_at bigint not null,
  lease_until bigint not null,
  claim ${text},
  primary key (account_id, operation, key)
);
create index idempotency_created_at on idempotency (created_at);

create table secrets (
  name ${text} primary key,
  sealed ${bytes} not null
);

create table audit_log (
  row_id ${serial},
  at bigint not null,
  action ${text} not null,
  subject ${text} not null,
  details ${text} not null,
  token_id ${text},
  account_id ${text},
  "user" ${text},
  origin ${text} not null
);

create table audit_addresses (
  row_id bigint primary key,
  address ${text} not null,
  at bigint not null
);
create index audit_addresses_at on audit_addresses (at);

create table dead_letters (
  row_id ${serial},
  id ${text} not null unique,
  queue ${text} not null,
  item ${text} not null,
  error ${text} not null,
  failures integer not null,
  created_at bigint not null,
  payload ${text},
  unique (queue, item)
);

-- The id is made from source and key, so these need no index of their own.
create table products (
  row_id ${serial},
  ${productColumnDefinitions(types)},
  popularity integer not null default 0,
  unique (id)
);
create index products_source on products (source);
create index products_group on products (group_id, source) where group_id is not null;
create index products_popular on products (id) where popularity > 0;

create table price_history (
  id ${serial},
  product_row_id bigint not null references products (row_id),
  price_minor bigint not null,
  at bigint not null
);

create table written_products (
  product_id ${text} primary key,
  at bigint not null
);
create index written_products_at on written_products (at);

create table imports (
  slot integer primary key check (slot between 1 and 3),
  owner ${text},
  label ${text} not null,
  started_at bigint not null,
  lease_until bigint not null,
  source ${text},
  staging_file ${text},
  is_full integer,
  position bigint,
  url ${text},
  etag ${text},
  last_modified ${text}
);

create table feeds (
  source ${text} not null,
  url ${text} not null,
  etag ${text},
  last_modified ${text},
  is_full integer not null default 0,
  imported_at bigint not null,
  primary key (source, url)
);

create table feed_pulls (
  source ${text} not null,
  url ${text} not null,
  period_ms bigint not null,
  absent ${text} not null,
  next_at bigint not null,
  taken_until bigint not null,
  failures integer not null,
  attempted_at bigint,
  succeeded_at bigint,
  error ${text},
  result ${text},
  etag ${text},
  last_modified ${text},
  primary key (source, url)
);

create table column_maps (
  source ${text} primary key,
  maps ${text} not null
);

create table store_currency (
  slot integer primary key check (slot = 1),
  currency ${text} not null
);

create table synonyms (
  slot integer primary key check (slot = 1),
  version ${text} not null,
  added ${text} not null,
  removed ${text} not null
);

create table rules (
  id ${text} primary key,
  position integer not null,
  product_ids integer not null,
  bytes integer not null,
  definition ${text} not null,
  created_at bigint not null,
  updated_at bigint not null
);

create table rules_version (
  slot integer primary key check (slot = 1),
  version ${text} not null,
  history_bytes integer not null
);

create table rule_history (
  rule_id ${text} not null,
  number integer not null,
  change ${text} not null,
  at bigint not null,
  bytes integer not null,
  rule ${text} not null,
  primary key (rule_id, number)
);
create index rule_history_at on rule_history (at);

create table search_hours (
  hour integer primary key,
  searches bigint not null,
  no_results bigint not null,
  clicks bigint not null,
  new_queries bigint not null,
  new_events bigint not null,
  new_public_events bigint not null
);

create table query_hours (
  query ${text} not null,
  hour bigint not null,
  searches bigint not null,
  no_results bigint not null,
  relaxed bigint not null,
  results bigint not null,
  clicks bigint not null,
  positioned bigint not null,
  positions bigint not null,
  primary key (query, hour)
)${byKey};
create index query_hours_hour on query_hours (hour);

create table query_clicks (
  query ${text} not null,
  day integer not null,
  product_id ${text} not null,
  clicks bigint not null,
  primary key (query, day, product_id)
)${byKey};
create index query_clicks_day on query_clicks (day);

create table product_events (
  day integer not null,
  product_id ${text} not null,
  clicks bigint not null,
  carts bigint not null,
  purchases bigint not null,
  primary key (day, product_id)
)${byKey};
create index product_events_product on product_events (product_id, day);

create table order_products (
  order_key ${text} not null,
  product_id ${text} not null,
  until bigint not null,
  primary key (order_key, product_id)
)${byKey};
create index order_products_until on order_products (until);

create table product_pairs (
  product_id ${text} not null,
  other_id ${text} not null,
  orders integer not null,
  day integer not null,
  primary key (product_id, other_id)
)${byKey};
create index product_pairs_day on product_pairs (day);

create table event_keys (
  key ${text} primary key,
  until bigint not null
)${byKey};
create index event_keys_until on event_keys (until);

create table marketplace_requests (
  marketplace ${text} not null,
  hour integer not null,
  count integer not null,
  primary key (marketplace, hour)
);

create table webhooks (
  row_id ${serial},
  id ${text} not null unique,
  account_id ${text} not null references accounts (id),
  url ${text} not null,
  type ${text} not null,
  product_ids ${text},
  key ${bytes} not null,
  created_at bigint not null,
  failing_since bigint,
  disabled_at bigint,
  disabled_reason ${text},
  void_through bigint not null,
  deleted_at bigint
);
create index webhooks_account on webhooks (account_id, row_id);
create index webhooks_of_all_products on webhooks (type)
  where product_ids is null and disabled_at is null and deleted_at is null;

create table webhook_former_keys (
  row_id ${serial},
  webhook_row_id bigint not null references webhooks (row_id),
  key ${bytes} not null,
  until bigint not null
);
create index webhook_former_keys_webhook on webhook_former_keys (webhook_row_id);
create index webhook_former_keys_until on webhook_former_keys (until);

create table webhook_products (
  product_id ${text} not null,
  webhook_row_id bigint not null references webhooks (row_id),
  primary key (product_id, webhook_row_id)
);
create index webhook_products_webhook on webhook_products (webhook_row_id);

create table webhook_events (
  row_id ${serial},
  id ${text} not null,
  type ${text} not null,
  body ${text} not null,
  created_at bigint not null,
  traceparent ${text}
);

create table delivery_workers (
  id ${text} primary key,
  beat bigint not null
);

create table deliveries (
  row_id ${serial},
  id ${text} not null unique,
  webhook_row_id bigint not null references webhooks (row_id),
  event_row_id bigint not null references webhook_events (row_id),
  kind ${text} not null,
  replay_of ${text},
  status ${text} not null,
  attempts integer not null,
  due_at bigint not null,
  worker ${text},
  created_at bigint not null,
  failures integer not null default 0
);
create index deliveries_webhook on deliveries (webhook_row_id, row_id);
create index deliveries_event on deliveries (event_row_id);
create index deliveries_waiting on deliveries (webhook_row_id, due_at) where status = 'pending' and worker is null;
create index deliveries_taken on deliveries (worker) where worker is not null;

create table delivery_attempts (
  delivery_row_id bigint not null references deliveries (row_id),
  number integer not null,
  attempted_at bigint not null,
  duration_ms integer not null,
  response_status integer,
  response_body ${text},
  error ${text},
  primary key (delivery_row_id, number)
);

create table images (
  slug ${text} primary key,
  model ${text} not null,
  vector ${bytes} not null,
  expires_at bigint not null
);
create index images_expires_at on images (expires_at);

create table pictures (
  id ${serial},
  address ${text} not null unique,
  state ${text} not null,
  attempts integer not null,
  due_at bigint not null,
  fetched_at bigint,
  fault ${text}
);
create index pictures_state on pictures (state, due_at);

-- Recorded later, from the change log: for a moment it still names removed products.
create table product_pictures (
  product_row_id bigint not null,
  picture_id bigint not null references pictures (id),
  primary key (product_row_id, picture_id)
);
create index product_pictures_picture on product_pictures (picture_id);

-- One row: up to which change of the catalog the products' images are recorded.
create table pictures_noted (
  sequence bigint not null
);
insert into pictures_noted (sequence) values (0);

create table picture_vectors (
  picture_id bigint not null references pictures (id),
  model ${text} not null,
  vector ${bytes} not null,
  etag ${text},
  primary key (picture_id, model)
);
`;
}
