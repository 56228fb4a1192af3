import { CodeText } from "./code-text.tsx";
import { CopyButton } from "./copy-button.tsx";

/** A line for a terminal. */
export function Command({ text }: { text: string }) {
  return (
    <div className="command">
      <CodeText text={text} />
      <CopyButton text={text} />
    </div>
  );
}
