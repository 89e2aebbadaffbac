// The document has been parsed before, so marks are found by their characters alone.
#include "schema/xml/markup.hpp"

#include "schema/base/byte_block.hpp"
#include "schema/xml/grammar.hpp"
#include "schema/xml/values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace whence::schema::xml {
namespace {

class Measure {
 public:
  Measure(std::string_view bytes, XmlFormat format) : bytes_(bytes), format_(format) {}

  Markup run() {
    while (at_ < bytes_.size()) {
      take_text(find("<"));
      if (at_ < bytes_.size()) take_mark();
    }
    return std::move(markup_);
  }

 private:
  /// An open element; null where the grammar does not know it, or it is inside of such a one.
  struct Frame {
    ElementRow const* row;
    std::uint32_t number;
    std::array<std::uint32_t, element_count> counts = {};
  };

  /// The place of `end` from here on; the end of the bytes where there is none.
  [[nodiscard]] std::size_t find(std::string_view end) const noexcept {
    return std::min(bytes_.find(end, at_), bytes_.size());
  }

  void go_behind(std::string_view end) { at_ = std::min(find(end) + end.size(), bytes_.size()); }

  void take_text(std::size_t end) {
    std::string_view const text = bytes_.substr(at_, end - at_);
    if (!frames_.empty() && !is_blank(text)) {
      markup_.content_bytes += text.size();
      auto const* row = frames_.back().row;
      // One mark for an element: a comment or an unknown element may part its text.
      bool const is_next = markup_.marks.empty() || markup_.marks.back().offset < text_begin_;
      if (row != nullptr && row->has_text && is_next) note(text, {});
    }
    at_ = end;
  }

  void take_mark() {
    std::string_view const rest = bytes_.substr(at_);
    if (rest.starts_with("<!--")) {
      go_behind("-->");
    } else if (rest.starts_with("<![CDATA[")) {
      at_ += std::string_view("<![CDATA[").size();
      markup_.content_bytes += find("]]>") - at_;
      go_behind("]]>");
    } else if (rest.starts_with("<?")) {
      go_behind("?>");
    } else if (rest.starts_with("</")) {
      go_behind(">");
      if (!frames_.empty()) frames_.pop_back();
    } else {
      take_start();
    }
  }

  void take_start() {
    ++at_;
    auto const is_name = [](char c) { return !is_white(c) && c != '/' && c != '>' && c != '='; };
    open(take_while(is_name));
    while (at_ < bytes_.size() && bytes_[at_] != '>' && bytes_[at_] != '/') {
      take_while(is_white);
      auto const name = take_while(is_name);
      take_while([](char c) { return is_white(c) || c == '='; });
      if (name.empty() || at_ >= bytes_.size()) break;
      take_value(name);
    }
    bool const is_empty = at_ < bytes_.size() && bytes_[at_] == '/';
    go_behind(">");
    text_begin_ = at_;
    if (is_empty) frames_.pop_back();
  }

  void take_value(std::string_view name) {
    char const quote = bytes_[at_++];
    auto const end = find({&quote, 1});
    auto const value = bytes_.substr(at_, end - at_);
    markup_.content_bytes += value.size();
    auto const* row = frames_.back().row;
    bool const is_known = row != nullptr && std::ranges::any_of(row->attributes, [&](AttributeRow const& each) {
                            return each.name == name;
                          });
    if (is_known) note(value, name);
    at_ = std::min(end + 1, bytes_.size());
    take_while(is_white);
  }

  template <class Takes>
  std::string_view take_while(Takes const& takes) {
    auto const begin = at_;
    while (at_ < bytes_.size() && takes(bytes_[at_])) ++at_;
    return bytes_.substr(begin, at_ - begin);
  }

  void open(std::string_view name) {
    bool const is_known_here = frames_.empty() || frames_.back().row != nullptr;
    auto const rows = elements();
    auto const found =
        std::ranges::find_if(rows, [&](ElementRow const& row) { return row.format == format_ && row.name == name; });
    if (!is_known_here || found == rows.end()) {
      frames_.push_back({nullptr, 0});
      return;
    }
    std::uint32_t number = 1;
    if (!frames_.empty()) number = ++frames_.back().counts[static_cast<std::size_t>(found->element)];
    frames_.push_back({&*found, number});
  }

  void note(std::string_view text, std::string_view attribute) {
    auto const place = text.find('>');
    if (place == std::string_view::npos) return;
    std::string path;
    for (Frame const& frame : frames_) append_step(path, *frame.row, frame.number);
    if (!attribute.empty()) path.append("/@").append(attribute);
    markup_.marks.push_back({static_cast<std::size_t>(text.data() - bytes_.data()) + place, std::move(path)});
  }

  std::string_view bytes_;
  XmlFormat format_;
  std::size_t at_ = 0;
  std::size_t text_begin_ = 0;  // behind the last start tag
  std::vector<Frame> frames_ = {};
  Markup markup_ = {};
};

}  // namespace

// A bare mark follows another `>`, or is followed by one: in front of it a tag, a comment, an instruction or a CDATA
// section has ended, or behind it its own tag ends, and no `<` is between. Where `<` and `>` take turns there is none.
// Comments and the like may hold what they want: the check then says yes, or their marks take turns as well.
bool may_have_bare_marks(std::string_view bytes) noexcept {
  bool is_open = false;
  auto const takes_turn = [&is_open](char mark) { return std::exchange(is_open, !is_open) == (mark == '>'); };
  std::size_t at = 0;
  for (; bytes.size() - at >= ByteBlock::size; at += ByteBlock::size) {
    ByteBlock const block(bytes.data() + at);
    for (auto marks = block.equal_to('<') | block.equal_to('>'); marks != 0; marks &= marks - 1) {
      if (!takes_turn(bytes[at + static_cast<std::size_t>(std::countr_zero(marks))])) return true;
    }
  }
  for (; at < bytes.size(); ++at) {
    bool const is_mark = bytes[at] == '<' || bytes[at] == '>';
    if (is_mark && !takes_turn(bytes[at])) return true;
  }
  return false;
}

Markup measure(std::string_view bytes, XmlFormat format) {
  return Measure(bytes, format).run();
}

}  // namespace whence::schema::xml
