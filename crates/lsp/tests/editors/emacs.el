;;; emacs.el --- Emacs' own client on a copy of `examples/storefront`  -*- lexical-binding: t -*-

;; usage: TENDON=PROGRAM emacs --batch -q --no-site-file -l emacs.el     in the folder of the copy
;;
;; The set-up is that of docs/editors.md. Each check is one call of `check'; the first that fails ends Emacs with status 1 and
;; says what was expected. eglot is a part of Emacs from 29 on, and a package before.

(require 'cl-lib)
(when (and (version< emacs-version "29") (fboundp 'package-initialize))
  (package-initialize))
(require 'eglot)

(define-derived-mode bicep-mode prog-mode "Bicep")
(add-to-list 'auto-mode-alist '("\\.bicep\\(param\\)?\\'" . bicep-mode))
(add-to-list 'eglot-server-programs `(bicep-mode ,(getenv "TENDON") "lsp"))
(setq eglot-sync-connect 60 eglot-connect-timeout 60 eglot-confirm-server-initiated-edits nil
      eglot-send-changes-idle-time 0.01 flymake-no-changes-timeout 0.01 make-backup-files nil
      create-lockfiles nil)

(defconst tendon-wait 60 "Seconds; a debug build on a busy machine is slow, and nothing here is timed.")

(defun wait-for (what ready)
  "Wait until READY answers something, and fail with WHAT was waited for."
  (let ((end (+ (float-time) tendon-wait)) answer)
    (while (and (not (setq answer (funcall ready))) (< (float-time) end))
      (accept-process-output nil 0.02))
    (or answer (error "waited in vain for %s; there is %S" what (problems)))))

(defun problems ()
  "The diagnostics of the buffer as numbers of lines, in order."
  (sort (mapcar (lambda (it) (line-number-at-pos (flymake-diagnostic-beg it))) (flymake-diagnostics)) #'<))

(defun expect-problems (lines)
  "Wait until the diagnostics of the buffer are on these LINES."
  (eglot--signal-textDocument/didChange)
  (wait-for (format "problems on lines %S" lines)
            (lambda () (flymake-start) (equal (problems) lines))))

(defun append-line (text)
  "Add a line with TEXT to the buffer, and answer its number."
  (goto-char (point-max))
  (insert text)
  (line-number-at-pos))

(defmacro check (name &rest body)
  "Run BODY, which NAME describes."
  (declare (indent 1))
  `(condition-case problem
       (progn ,@body (message "ok      %s" ,name))
     (error (message "FAILED  %s\n%s" ,name (error-message-string problem))
            (kill-emacs 1))))

(check "open: the program has no problems"
  (find-file "main.bicep")
  (call-interactively #'eglot)
  (cl-assert (eglot-managed-p))
  (flymake-mode 1)
  (expect-problems nil))

(check "diagnose: what is typed is checked, and what is undone is forgotten"
  (let ((line (1- (append-line "var stages = 'three' + 1\n"))))
    (expect-problems (list line line))
    (delete-region (save-excursion (goto-char (point-max)) (forward-line -1) (point)) (point-max))
    (expect-problems nil)))

(check "complete: a symbol, and its edit"
  (append-line "output production bool = isProd")
  (eglot--signal-textDocument/didChange)
  (cl-assert (completion-at-point))
  (cl-assert (string-suffix-p "isProduction" (buffer-string)) t)
  (delete-region (line-beginning-position) (point-max)))

(check "hover: a type and its description"
  (goto-char (point-min))
  (search-forward "param shelves")
  (let* ((params (eglot--TextDocumentPositionParams))
         (answer (jsonrpc-request (eglot-current-server) :textDocument/hover params))
         (text (plist-get (plist-get answer :contents) :value)))
    (cl-assert (string-match-p "The folders of files that it serves" text) t)))

(check "definition: the file that declares it"
  (goto-char (point-min))
  (search-forward "name: nameOf")
  (let ((found (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot))))
    (cl-assert (= (length found) 1) t)
    (cl-assert (string-suffix-p "types.bicep" (xref-location-group (xref-item-location (car found)))) t)))

(check "rename: a function, in every file that uses it"
  (goto-char (point-min))
  (search-forward "name: nameOf")
  ;; It asks before it changes a file that is not open.
  (cl-letf (((symbol-function 'y-or-n-p) (lambda (&rest _) t)))
    (eglot-rename "named"))
  (cl-assert (not (string-match-p "nameOf" (buffer-string))) t)
  (with-current-buffer (find-file-noselect "types.bicep")
    (cl-assert (string-match-p "^func named" (buffer-string)) t)
    (save-buffer))
  (save-buffer)
  (expect-problems nil))

(check "format: a document as `tendon format' writes it"
  (find-file "types.bicep")
  (let ((wanted (with-output-to-string
                  (with-current-buffer standard-output
                    (call-process (getenv "TENDON") nil t nil "format" "--stdout" (expand-file-name "types.bicep"))))))
    (goto-char (point-min))
    (while (re-search-forward "^ +" nil t) (replace-match " "))
    (eglot-format-buffer)
    (cl-assert (equal (buffer-string) wanted) t)
    (set-buffer-modified-p nil)))

(check "parameters: a value that the program refuses"
  (find-file "prod.bicepparam")
  (flymake-mode 1)
  (expect-problems nil)
  (goto-char (point-min))
  (search-forward "param stage = 'prod")
  (insert "uction")
  (expect-problems (list (line-number-at-pos)))
  (set-buffer-modified-p nil))

(check "end: the server ends when the editor says so"
  (let ((server (eglot-current-server)))
    (eglot-shutdown server)
    (cl-assert (not (jsonrpc-running-p server)))))
