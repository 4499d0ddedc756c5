// Keeps a mistake in one part of the page from taking the rest with it: says what happened in that part's place, and tries again.
import { Check, ClipboardCopy, RotateCw, TriangleAlert, X } from "lucide-react";
import { Component, type ErrorInfo, type ReactNode, useState } from "react";
import { reportError } from "../api/report";
import css from "./Boundary.module.css";
import { Button, IconButton } from "./Button";
import { type Crash, detailsOf, isNotLoaded, messageOf } from "./crash";
import { cx } from "./cx";

/**
 * Where the words stand: on a whole page, in a part of it, in a card over it, in a bar, or in something small that floats. `nowhere`
 * is for what has just been closed, which nobody waits for any more.
 */
type Place = "page" | "panel" | "over" | "bar" | "float" | "nowhere";

interface BoundaryProps {
  /** The part inside, in the words a person knows it by: "The node panel". */
  what: string;
  place?: Place;
  /** When it changes, such as with the address or the tab, what is inside is tried again. */
  resetKey?: unknown;
  /** Closes the part; without it there is nothing to close. */
  onClose?: () => void;
  children: ReactNode;
}

/** `null` is also something that can be thrown, so the crash is an object of its own. */
interface BoundaryState {
  crash: Pick<Crash, "error" | "components"> | null;
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { crash: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { crash: { error } };
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo) {
    this.setState({ crash: { error, components: componentStack } });
    reportError(error, { part: this.props.what, components: componentStack });
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (this.state.crash && before.resetKey !== this.props.resetKey) this.reset();
  }

  reset = () => {
    this.setState({ crash: null });
  };

  override render() {
    const { crash } = this.state;
    const { what, place = "panel", onClose, children } = this.props;
    if (!crash) return children;
    if (place === "nowhere") return null;
    return <Crashed crash={{ what, ...crash }} place={place} onRetry={this.reset} onClose={onClose} />;
  }
}

interface CrashedProps {
  crash: Crash;
  place: Exclude<Place, "nowhere">;
  onRetry: () => void;
  onClose?: () => void;
}

function Crashed({ crash, place, onRetry, onClose }: CrashedProps) {
  const isMissing = isNotLoaded(crash.error);
  const [copied, setCopied] = useState<"yes" | "refused" | null>(null);
  const details = () => detailsOf(crash, { path: window.location.pathname, agent: window.navigator.userAgent, at: new Date() });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(details());
      setCopied("yes");
    } catch {
      // Without HTTPS there is no clipboard: the details are shown instead, to be selected.
      setCopied("refused");
    }
  };
  const size = place === "page" ? "normal" : "small";
  return (
    <div className={cx(css.crash, css[place])} role="alert">
      <TriangleAlert className={css.mark} size={16} aria-hidden />
      <div className={css.words}>
        <p className={css.title}>
          {crash.what} {isMissing ? "could not be loaded" : "stopped working"}
        </p>
        {place !== "bar" && (
          <>
            <p className={css.text}>{isMissing ? MISSING : place === "page" ? PAGE : PART}</p>
            <pre className={css.message}>{copied === "refused" ? details() : messageOf(crash.error)}</pre>
          </>
        )}
      </div>
      <div className={css.actions}>
        {isMissing ? (
          <Button kind="primary" size={size} icon={RotateCw} onClick={() => window.location.reload()}>
            Reload page
          </Button>
        ) : (
          <Button kind="primary" size={size} icon={RotateCw} onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button size={size} icon={copied === "yes" ? Check : ClipboardCopy} onClick={() => void copy()}>
          {copied === "yes" ? "Copied" : "Copy details"}
        </Button>
        {onClose && (
          <IconButton
            icon={X}
            label="Close"
            size="small"
            className={css.close}
            onClick={() => {
              onClose();
              onRetry();
            }}
          />
        )}
      </div>
    </div>
  );
}

const PAGE =
  "An unexpected error stopped it. Everything you saved is safe. If it happens again, copy the details and report them.";
const PART =
  "An unexpected error stopped it. The rest of the page still works and unsaved changes are kept. If it happens again, copy the details and report them.";
const MISSING =
  "Heddle may have been updated, or cannot be reached. Unsaved changes are kept in this browser while the page is reloaded.";
