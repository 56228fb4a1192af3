import { type DragEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import { snap } from "../../service/image/images.ts";
import { Icon } from "../elements.tsx";

/** Drop, paste, choose or take an image. */
export function ImageSource({ onImage }: { onImage: (image: Blob) => void }) {
  const [over, setOver] = useState(false);
  const [taking, setTaking] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  usePastedImage(onImage);
  const choose = (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (file) onImage(file);
    // So that the same file can be chosen again.
    input.value = "";
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file) onImage(file);
  };
  // A phone's own camera is better than a view in this page.
  const takesHere = hasCameraAccess() && !matchMedia("(pointer: coarse)").matches;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the buttons inside do the same by keyboard.
    <div
      className={over ? "drop-zone panel over" : "drop-zone panel"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p>Drop an image here, paste one, or</p>
      <div className="row center">
        <button type="button" className="primary" onClick={() => chooser.current?.click()}>
          <Icon name="upload" /> Choose an image
        </button>
        <button type="button" onClick={() => (takesHere ? setTaking(true) : camera.current?.click())}>
          <Icon name="camera" /> Take a photo
        </button>
      </div>
      <p className="hint">JPEG, PNG, WebP, AVIF or GIF. Large images are scaled down before they are sent.</p>
      <input
        ref={chooser}
        type="file"
        hidden
        accept="image/*"
        aria-label="Image file"
        onChange={(event) => choose(event.currentTarget)}
      />
      <input
        ref={camera}
        type="file"
        hidden
        accept="image/*"
        capture="environment"
        aria-label="Camera"
        onChange={(event) => choose(event.currentTarget)}
      />
      {taking && <CameraDialog onImage={onImage} onClose={() => setTaking(false)} />}
    </div>
  );
}

function usePastedImage(onImage: (image: Blob) => void): void {
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const file = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"));
      if (file) onImage(file);
    };
    addEventListener("paste", onPaste);
    return () => removeEventListener("paste", onPaste);
  }, [onImage]);
}

interface CameraDialogProps {
  onImage: (image: Blob) => void;
  onClose: () => void;
}

/** The camera's view, and a button that takes what it sees. */
function CameraDialog({ onImage, onClose }: CameraDialogProps) {
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const camera = useCamera(video);
  const [busy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);

  async function take() {
    if (!video.current) return;
    setBusy(true);
    onImage(await snap(video.current));
    onClose();
  }

  return (
    <dialog ref={dialog} className="camera" aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>Take a photo</h2>
      {camera.phase === "failed" ? (
        <p role="alert">{camera.why}</p>
      ) : (
        <div className="camera-view">
          {/* Only what the camera sees: there is nothing to caption. */}
          <video ref={video} muted playsInline aria-label="Camera view" />
          {camera.phase === "starting" && <p role="status">Waiting for the camera…</p>}
        </div>
      )}
      <div className="row">
        {camera.phase !== "failed" && (
          <button type="button" className="primary" disabled={camera.phase !== "on" || busy} onClick={take}>
            Take photo
          </button>
        )}
        <button type="button" onClick={() => dialog.current?.close()}>
          {camera.phase === "failed" ? "Close" : "Cancel"}
        </button>
      </div>
    </dialog>
  );
}

type CameraState = { phase: "starting" } | { phase: "on" } | { phase: "failed"; why: string };

/** Shows the camera in the video element while the caller is there, and lets go of it afterwards. */
function useCamera(video: RefObject<HTMLVideoElement | null>): CameraState {
  const [state, setState] = useState<CameraState>({ phase: "starting" });
  useEffect(() => {
    let stream: MediaStream | undefined;
    let left = false;
    const stop = () => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    const start = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
      if (left || !video.current) return stop();
      video.current.srcObject = stream;
      await video.current.play();
      if (!left) setState({ phase: "on" });
    };
    start().catch((error: unknown) => {
      if (!left) setState({ phase: "failed", why: reasonOf(error) });
    });
    return () => {
      left = true;
      stop();
    };
  }, [video]);
  return state;
}

/** Browsers offer the camera to pages from this machine or over TLS only. */
function hasCameraAccess(): boolean {
  return navigator.mediaDevices !== undefined;
}

function reasonOf(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError")
    return "The camera is blocked for this page. Allow it in the browser and try again.";
  if (name === "NotFoundError" || name === "OverconstrainedError")
    return "No camera was found on this device.";
  return "The camera could not be started. Another program may be using it.";
}
