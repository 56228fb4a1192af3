/** Texts to choose from with one press. */
export function Chips({ texts, onChoose }: { texts: readonly string[]; onChoose: (text: string) => void }) {
  return (
    <ul className="chips">
      {texts.map((text) => (
        <li key={text}>
          <button type="button" className="chip" onClick={() => onChoose(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
