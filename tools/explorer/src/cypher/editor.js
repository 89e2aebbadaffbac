// The editor of a query. It lives in a shadow tree, because there its styles may be sheets made by the script: the content security
// policy refuses style elements. What is typed over a selection is put in by the editor: Chromium would keep the style of what it
// replaces in a style attribute.
import { autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, drawSelection, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { completionsOf, tokenizer } from './language.js';

const highlighting = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.typeName, color: 'var(--type)' },
  { tag: tags.string, color: 'var(--warn)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: tags.propertyName, color: 'var(--ink)' },
  { tag: tags.special(tags.variableName), color: 'var(--warn)' },
]);

const look = EditorView.theme({
  '&': { fontSize: '13px', color: 'var(--ink)', backgroundColor: 'var(--raised)', border: '1px solid var(--line)', borderRadius: '8px', minHeight: '150px', maxHeight: '50vh' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace', lineHeight: '1.5', minHeight: '150px' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { backgroundColor: 'var(--accent-soft)' },
  '.cm-placeholder': { color: 'var(--faint)' },
  '.cm-tooltip': { backgroundColor: 'var(--ground)', color: 'var(--ink)', border: '1px solid var(--line)', borderRadius: '8px', overflow: 'hidden' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--ink)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: '240px' },
  '.cm-completionDetail': { color: 'var(--faint)', fontStyle: 'normal', marginLeft: '10px' },
  '.cm-completionIcon': { display: 'none' },
});

/**
 * What is typed over a selection is put in by the editor: the browser would keep the style of what it replaces in a style attribute,
 * which the content security policy refuses.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== 'insertText' || !event.data || view.state.selection.main.empty || view.composing) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { scrollIntoView: true, userEvent: 'input.type' });
    return true;
  },
});

export class CypherEditor {
  /** @param {HTMLElement} host @param {{run(): void, changed(): void, words(): object | null}} actions */
  constructor(host, actions) {
    const root = host.attachShadow({ mode: 'open' });
    this.view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        extensions: [
          history(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          StreamLanguage.define(tokenizer),
          syntaxHighlighting(highlighting),
          autocompletion({ override: [(context) => this.complete(context, actions.words())] }),
          keymap.of([
            // A list that is open, or about to be, would lie over the answer.
            { key: 'Mod-Enter', preventDefault: true, run: (view) => (closeCompletion(view), actions.run(), true) },
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...historyKeymap,
            // Tab leaves the editor, as it leaves any other field.
            ...defaultKeymap,
          ]),
          placeholder('MATCH (r:Response) RETURN r LIMIT 10'),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': 'Query in Cypher. Ctrl and Enter: run. Ctrl and Space: what may stand here', id: 'cypher-text' }),
          EditorView.updateListener.of((update) => update.docChanged && actions.changed()),
          typedOver,
          look,
        ],
      }),
    });
  }

  complete(context, words) {
    if (!words) return null;
    const found = completionsOf(context.state.sliceDoc(0, context.pos), context.state.doc.toString(), words);
    if (!found || (found.isQuiet && !context.explicit)) return null;
    const options = found.isQuiet ? completionsOf(`${context.state.sliceDoc(0, context.pos)}A`, context.state.doc.toString(), words)?.options : found.options;
    return { from: found.from, options: options ?? [], validFor: /^[\w.]*$/ };
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  focus() {
    this.view.focus();
  }

  /** Puts the cursor at a line and a column, both from 1. */
  goTo(line, column) {
    const { doc } = this.view.state;
    const at = doc.line(Math.min(Math.max(1, line), doc.lines));
    this.view.dispatch({ selection: { anchor: Math.min(at.to, at.from + column - 1) }, scrollIntoView: true });
    this.focus();
  }
}
