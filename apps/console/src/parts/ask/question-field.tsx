import { useId, useLayoutEffect, useRef } from "react";
import { Icon } from "../icon.tsx";

interface QuestionFieldProps {
  value: string;
  placeholder: string;
  onChange: (value: string) => void;
  onSubmit: () => void;
}

/** The field of a conversation: it grows with the text, Enter sends it, and Shift+Enter begins a line. */
export function QuestionField({ value, placeholder, onChange, onSubmit }: QuestionFieldProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides the height.
  useLayoutEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = "auto";
    current.style.height = `${current.scrollHeight + current.offsetHeight - current.clientHeight}px`;
  }, [value]);
  return (
    <form
      className="question-field"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <label htmlFor={id} className="visually-hidden">
        Your question
      </label>
      <Icon name="ask" />
      <textarea
        ref={field}
        id={id}
        rows={1}
        value={value}
        maxLength={512}
        placeholder={placeholder}
        autoComplete="off"
        enterKeyHint="send"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          onSubmit();
        }}
      />
      <button type="submit" className="primary" disabled={value.trim() === ""}>
        <Icon name="send" />
        <span>Ask</span>
      </button>
    </form>
  );
}
