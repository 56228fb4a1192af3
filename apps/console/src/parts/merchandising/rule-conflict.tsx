import type { Rule, RuleRequest } from "@product-search/client";
import { differencesOf, formatTime } from "../../service/merchandising/rule-text.ts";

interface RuleConflictProps {
  /** The rule as somebody else has stored it meanwhile. */
  stored: Rule;
  mine: RuleRequest;
  onOverwrite: () => void;
  onTakeStored: () => void;
}

/** Two people have changed a rule: shows what differs, and lets the second one decide. */
export function RuleConflict({ stored, mine, onOverwrite, onTakeStored }: RuleConflictProps) {
  const differences = differencesOf(stored, mine);
  return (
    <div className="notice error" role="alert">
      <h2>Somebody else has changed this rule</h2>
      <p>
        It was saved at {formatTime(stored.updatedAt)}, after you opened it. Nothing of yours is stored yet,
        and nothing is lost.
      </p>
      {differences.length === 0 ? (
        <p>Their version and yours are the same.</p>
      ) : (
        <table className="comparison">
          <thead>
            <tr>
              <td />
              <th scope="col">Saved by them</th>
              <th scope="col">Yours</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(({ member, before, after }) => (
              <tr key={member}>
                <th scope="row">{member}</th>
                <td>{before || "–"}</td>
                <td>{after || "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="row">
        <button type="button" onClick={onTakeStored}>
          Keep theirs
        </button>
        <button type="button" className="danger" onClick={onOverwrite}>
          Save mine instead
        </button>
      </div>
    </div>
  );
}
