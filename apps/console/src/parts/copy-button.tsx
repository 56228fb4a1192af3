import { useState } from "react";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      setSaid("Copying failed: select the text instead");
    }
    setTimeout(() => setSaid(""), 2000);
  };
  return (
    <button type="button" className="small" onClick={copy}>
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}

interface DownloadButtonProps {
  /** Of the file. */
  name: string;
  type: string;
  read: () => Promise<string>;
  disabled?: boolean;
  children: string;
}

/** Saves a text as a file of the reader's machine. */
export function DownloadButton({ name, type, read, disabled = false, children }: DownloadButtonProps) {
  const [said, setSaid] = useState("");
  const save = async () => {
    setSaid("Loading…");
    try {
      const url = URL.createObjectURL(new Blob([await read()], { type }));
      const link = document.createElement("a");
      link.href = url;
      link.download = name;
      link.click();
      URL.revokeObjectURL(url);
      setSaid("");
    } catch {
      setSaid("It could not be read. Try again");
    }
  };
  return (
    <button type="button" disabled={disabled} onClick={save}>
      <span aria-live="polite">{said || children}</span>
    </button>
  );
}

interface DeleteButtonProps {
  disabled?: boolean;
  /** Tells the buttons of a list apart for those who do not see beside what they stand. */
  what?: string;
  small?: boolean;
  onConfirm: () => void;
}

/** Deleting asks once more, in place. */
export function DeleteButton({ disabled = false, what, small = false, onConfirm }: DeleteButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const size = small ? " small" : "";
  const name = what !== undefined && <span className="visually-hidden"> {what}</span>;
  if (!isAsking) {
    return (
      <button type="button" className={`danger${size}`} disabled={disabled} onClick={() => setAsking(true)}>
        Delete{name}
      </button>
    );
  }
  return (
    <>
      <button
        type="button"
        // The focus was on the button that this one replaces.
        ref={(button) => button?.focus()}
        className={`danger solid${size}`}
        disabled={disabled}
        onClick={onConfirm}
      >
        Confirm delete{name}
      </button>
      <button type="button" className={size.trim()} onClick={() => setAsking(false)}>
        Cancel
      </button>
    </>
  );
}
