// The kit: every part that pages are made of.

export { AsyncContent, type AsyncData, ErrorState, Loading, Skeleton } from "./AsyncStates";
export { Badge, Chip, getStatusInfo, StatusMark, type Tone } from "./Badge";
export { ActionLink, Button, IconButton, LinkButton } from "./Button";
export { CopyButton } from "./CopyButton";
export { cx } from "./cx";
export { ConfirmDialog, choose, confirm, Dialog } from "./Dialog";
export { DropZone } from "./DropZone";
export { ErrorBoundary } from "./ErrorBoundary";
export { Bytes, Duration, Money, Time } from "./Formatted";
export { FormDialog } from "./FormDialog";
export {
  bytes,
  clockTime,
  count,
  duration,
  exactTime,
  money,
  plural,
  relativeTime,
} from "./format";
export { Field, Input, NumberInput, SearchInput, TextArea } from "./Input";
export { Kbd } from "./Kbd";
export { Markdown } from "./Markdown";
export { ContextMenu, Menu, type MenuAction, type MenuItem } from "./Menu";
export { EmptyState, NoMatches, Page, PageTitle, usePageTitle } from "./Page";
export { Popover } from "./Popover";
export { type Option, Select } from "./Select";
export { SplitPane } from "./SplitPane";
export { Checkbox, Switch } from "./Switch";
export { type Column, type Sort, Table, type TableProps } from "./Table";
export { type Tab, Tabs } from "./Tabs";
export { Toasts, toast } from "./Toasts";
export { Tooltip, TooltipProvider } from "./Tooltip";
export { errorText, tryAction, useAsyncAction } from "./useAsyncAction";
export { useDebounced } from "./useDebounced";
export { useIsNarrow } from "./useIsNarrow";
export { FormSubmitted, useFormSubmitted, useSubmit } from "./useSubmit";
