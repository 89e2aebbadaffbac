// libedit (histedit.h) around the terminal, and plain lines of a stream.

#include "tools/cli/query/line_editor.hpp"

#include "net/plain_text/shown.hpp"

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <istream>
#include <ostream>
#include <utility>

#include <histedit.h>

namespace whence::tools {
namespace {

constexpr int remembered_max = 500;

class TerminalEditor final : public LineEditor {
 public:
  explicit TerminalEditor(Complete complete)
      : complete_{std::move(complete)}, history_{history_winit(), history_wend}, line_{open_line(), el_end} {
    HistEventW event{};
    history_w(history_.get(), &event, H_SETSIZE, remembered_max);
    history_w(history_.get(), &event, H_SETUNIQUE, 1);
    auto* const line = line_.get();
    el_set(line, EL_CLIENTDATA, this);
    el_set(line, EL_PROMPT, &prompt_of);
    el_set(line, EL_EDITOR, "emacs");
    el_set(line, EL_SIGNAL, 1);
    // Wide: in a locale of UTF-8 libedit takes what a history of bytes gives it for wide characters.
    el_wset(line, EL_HIST, history_w, history_.get());
    el_set(line, EL_ADDFN, "whence-complete", "completes the word before the cursor", &complete_line);
    el_set(line, EL_BIND, "^I", "whence-complete", nullptr);
    el_set(line, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_source(line, nullptr);  // ~/.editrc, where there is one
  }

  [[nodiscard]] std::optional<std::string> read(std::string_view prompt) override {
    prompt_ = prompt;
    int size = 0;
    char const* const text = el_gets(line_.get(), &size);
    if (text == nullptr || size <= 0) return std::nullopt;
    std::string line{text, static_cast<std::size_t>(size)};
    if (line.ends_with('\n')) line.pop_back();
    return line;
  }

  void remember(std::string_view statement) override {
    std::string line{statement};
    std::ranges::replace(line, '\n', ' ');
    line += ';';
    std::wstring wide(line.size() + 1, L'\0');
    if (std::mbstowcs(wide.data(), line.c_str(), wide.size()) == static_cast<std::size_t>(-1)) return;
    HistEventW event{};
    history_w(history_.get(), &event, H_ENTER, wide.c_str());
  }

 private:
  /// libedit asks for the locale once, when it begins, and takes characters apart by it; without one, letters beyond
  /// ASCII would be bytes.
  static EditLine* open_line() {
    std::setlocale(LC_CTYPE, "");
    if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
    return el_init("whence", stdin, stderr, stderr);
  }

  static TerminalEditor& self_of(EditLine* line) {
    void* self = nullptr;
    el_get(line, EL_CLIENTDATA, &self);
    return *static_cast<TerminalEditor*>(self);
  }

  static char* prompt_of(EditLine* line) { return self_of(line).prompt_.data(); }

  static unsigned char complete_line(EditLine* line, int /*key*/) { return self_of(line).complete(); }

  unsigned char complete() {
    auto* const line = line_.get();
    LineInfo const* const typed = el_line(line);
    std::string_view const before{typed->buffer, static_cast<std::size_t>(typed->cursor - typed->buffer)};
    LineCompletion const done = complete_(before);
    if (!done.listed.empty()) list(done.listed);
    if (done.text.empty()) return done.listed.empty() ? CC_REFRESH_BEEP : CC_REDISPLAY;
    el_deletestr(line, static_cast<int>(done.replaced));
    if (el_insertstr(line, done.text.c_str()) == -1) return CC_REFRESH_BEEP;
    return done.listed.empty() ? CC_REFRESH : CC_REDISPLAY;
  }

  static void list(std::vector<std::string> const& words) {
    std::string all = "\n";
    for (auto const& word : words) all += net::plain_text::shown(word) + "  ";
    std::fprintf(stderr, "%s\n", all.c_str());
  }

  Complete complete_;
  std::string prompt_;
  std::unique_ptr<HistoryW, void (*)(HistoryW*)> history_;
  std::unique_ptr<EditLine, void (*)(EditLine*)> line_;
};

class PlainEditor final : public LineEditor {
 public:
  PlainEditor(std::istream& in, std::ostream& talk) : in_{in}, talk_{talk} {}

  [[nodiscard]] std::optional<std::string> read(std::string_view prompt) override {
    talk_ << prompt << std::flush;
    std::string line;
    if (!std::getline(in_, line)) return std::nullopt;
    return line;
  }

  void remember(std::string_view /*statement*/) override {}

 private:
  std::istream& in_;
  std::ostream& talk_;
};

}  // namespace

std::unique_ptr<LineEditor> terminal_editor(LineEditor::Complete complete) {
  return std::make_unique<TerminalEditor>(std::move(complete));
}

std::unique_ptr<LineEditor> plain_editor(std::istream& in, std::ostream& talk) {
  return std::make_unique<PlainEditor>(in, talk);
}

}  // namespace whence::tools
