// Brings in every custom element; each one only adds to markup that already reads without it.
import "./copy-button.js";
import "./figure-save.js";
import "./lab-panel.js";
import "./lesson-progress.js";
import "./mask-grid.js";
import "./plot-figure.js";
import "./predict-first.js";
import "./quiz-card.js";
import "./sentence-bar.js";
import "./step-through.js";
import "./stream-text.js";
import "./token-row.js";
