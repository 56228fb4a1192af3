import type Sqlite from "better-sqlite3";
import type { Requeue } from "./requeue.ts";

interface DeliveryRow {
  rowId: number;
  webhook: number;
  isDisabled: number;
  isVoided: number;
}

/** The same delivery, due at once: its list of attempts stays. */
export function prepareRequeueDelivery(connection: Sqlite.Database): Requeue {
  const find = connection.prepare<[string], DeliveryRow>(
    `select d.row_id as rowId, w.row_id as webhook, w.disabled_at is not null as isDisabled,
       d.row_id <= w.void_through as isVoided
     from deliveries d join webhooks w on w.row_id = d.webhook_row_id
     where d.id = ? and d.status = 'failed' and w.deleted_at is null`,
  );
  // The mark of an earlier disabling. It must stay while there are deliveries that it voids.
  const forget = connection.prepare<[number]>(
    `update webhooks set void_through = 0 where row_id = ? and not exists (
       select 1 from deliveries
       where webhook_row_id = webhooks.row_id and row_id <= webhooks.void_through and status = 'pending')`,
  );
  const requeue = connection.prepare<[number, number]>(
    "update deliveries set status = 'pending', due_at = ? where row_id = ?",
  );
  return (deliveryId, nowMs) => {
    const delivery = find.get(deliveryId);
    if (delivery === undefined) return "obsolete";
    if (delivery.isDisabled !== 0) return "disabled";
    if (delivery.isVoided !== 0 && forget.run(delivery.webhook).changes === 0) return "disabled";
    requeue.run(nowMs, delivery.rowId);
    return "retried";
  };
}
