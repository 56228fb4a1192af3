import { useEffect, useId, useRef, useState } from "react";
import { snap } from "../../service/image/images.ts";
import { useCamera } from "../../service/image/use-camera.ts";

interface CameraDialogProps {
  onImage: (image: Blob) => void;
  onClose: () => void;
}

/** The camera's view, and a button that takes what it sees. */
export function CameraDialog({ onImage, onClose }: CameraDialogProps) {
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
