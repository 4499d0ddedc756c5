// Keeps a mistake in one part of the page from taking the rest with it: says what happened in that part's place, and tries again.
import { Check, ClipboardCopy, RotateCw, TriangleAlert, X } from "lucide-react";
import { Component, type ErrorInfo, type ReactNode, useState } from "react";
import { reportError } from "../api/errorReporter";
import { Button, IconButton } from "./Button";
import { type Crash, crashDetails, isChunkLoadError, thrownMessage } from "./crashReport";
import { cx } from "./cx";
import css from "./ErrorBoundary.module.css";

/**
 * Where the words stand: on a whole page, in a part of it, in a card over it, in a bar, or in something small that floats. `nowhere`
 * is for what has just been closed, which nobody waits for any more.
 */
type CrashPlace = "page" | "panel" | "over" | "bar" | "float" | "nowhere";

interface ErrorBoundaryProps {
  /** The part inside, in the words a person knows it by: "The node panel". */
  what: string;
  place?: CrashPlace;
  /** When it changes, such as with the address or the tab, what is inside is tried again. */
  resetKey?: unknown;
  /** Closes the part; without it there is nothing to close. */
  onClose?: () => void;
  children: ReactNode;
}

/** `null` is also something that can be thrown, so the crash is an object of its own. */
interface ErrorBoundaryState {
  crash: Pick<Crash, "error" | "components"> | null;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { crash: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { crash: { error } };
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo) {
    this.setState({ crash: { error, components: componentStack } });
    reportError(error, { part: this.props.what, components: componentStack });
  }

  override componentDidUpdate(before: ErrorBoundaryProps) {
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
    return (
      <CrashMessage
        crash={{ what, ...crash }}
        place={place}
        onRetry={this.reset}
        onClose={onClose}
      />
    );
  }
}

interface CrashMessageProps {
  crash: Crash;
  place: Exclude<CrashPlace, "nowhere">;
  onRetry: () => void;
  onClose?: () => void;
}

function CrashMessage({ crash, place, onRetry, onClose }: CrashMessageProps) {
  const isMissing = isChunkLoadError(crash.error);
  const [copied, setCopied] = useState<"yes" | "refused" | null>(null);
  const details = () =>
    crashDetails(crash, {
      path: window.location.pathname,
      agent: window.navigator.userAgent,
      at: new Date(),
    });
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
            <p className={css.text}>
              {isMissing ? MISSING_TEXT : place === "page" ? PAGE_TEXT : PART_TEXT}
            </p>
            <pre className={css.message}>
              {copied === "refused" ? details() : thrownMessage(crash.error)}
            </pre>
          </>
        )}
      </div>
      <div className={css.actions}>
        {isMissing ? (
          <Button
            kind="primary"
            size={size}
            icon={RotateCw}
            onClick={() => window.location.reload()}
          >
            Reload page
          </Button>
        ) : (
          <Button kind="primary" size={size} icon={RotateCw} onClick={onRetry}>
            Try again
          </Button>
        )}
        <Button
          size={size}
          icon={copied === "yes" ? Check : ClipboardCopy}
          onClick={() => void copy()}
        >
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

const PAGE_TEXT =
  "An unexpected error occurred. Saved work is safe. If it happens again, copy the details and report them.";
const PART_TEXT =
  "An unexpected error occurred. The rest of the page still works and unsaved changes are kept. If it happens again, copy the details and report them.";
const MISSING_TEXT =
  "Heddle may have been updated or is unreachable. Unsaved changes are kept in this browser when you reload.";
