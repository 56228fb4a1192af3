/** Code as it was written; what is too wide can be scrolled. */
export function CodeText({ text }: { text: string }) {
  return (
    <pre className="code-text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <code tabIndex={0}>{text}</code>
    </pre>
  );
}
