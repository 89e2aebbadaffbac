// The order of checks is the order in which a reader meets them: limits and names of the tag, the element's place, its
// attributes, its text, and at its end what it lacks.
#include "schema/xml/parser/handler.hpp"

#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"
#include "schema/xml/values.hpp"

#include <algorithm>
#include <utility>

#include <xercesc/sax/SAXParseException.hpp>

namespace whence::schema::xml {
namespace {

/// A parser holds half a MiB and, of a document, little but its names, at 200 bytes each. Only a document of some
/// 80,000 different names can come here.
constexpr std::size_t memory_max = std::size_t{16} << 20;

constexpr bool is_white_unit(char16_t unit) noexcept {
  return unit == u' ' || unit == u'\t' || unit == u'\n' || unit == u'\r';
}

void append_step(std::string& path, std::u16string_view name) {
  path.append("/").append(to_utf8(name.substr(0, limits::seen_bytes_max)));
}

std::string tag(ElementRow const& row) {
  return std::string{"<"}.append(row.name).append(">");
}

/// The document that malformed bytes meant to be.
XmlFormat guess(std::string_view bytes) noexcept {
  return bytes.find("<llmQuery") < bytes.find("<llmResponse") ? XmlFormat::llm_query : XmlFormat::llm_response;
}

}  // namespace

void Handler::begin(std::string_view bytes, std::optional<XmlFormat> expected, Limits const& limits) {
  bytes_ = bytes;
  expected_ = expected;
  limits_ = &limits;
  warnings_.clear();
  frames_.clear();
  namespaces_.clear();
  last_tag_ = {};
  depth_ = unknown_depth_ = 0;
}

Mark Handler::here() const {
  return {.line = locator_->getLineNumber(), .column = locator_->getColumnNumber()};
}

XmlFormat Handler::format() const noexcept {
  if (!frames_.empty()) return frames_.front().row->format;
  return expected_ ? *expected_ : guess(bytes_);
}

std::string Handler::path() const {
  std::string path;
  for (Frame const& frame : frames_) append_step(path, *frame.row, frame.number);
  for (std::size_t i = 0; i < unknown_depth_; ++i) append_step(path, unknown_[i]);
  return path;
}

void Handler::stop(XmlError error, XmlRule rule, std::string path, std::string message, Mark mark,
                   std::string_view seen) const {
  throw Stop{{.error = error,
              .rule = rule,
              .path = path.empty() ? "/" : std::move(path),
              .message = std::move(message),
              .seen = cut(seen, limits::seen_bytes_max),
              .mark = mark}};
}

Finding Handler::malformed(std::string message, Mark mark, Finding::Anchor anchor) const {
  return {.error = XmlError::malformed_xml,
          .rule = format() == XmlFormat::llm_query ? XmlRule::q1 : XmlRule::r1,
          .path = frames_.empty() ? "/" : path(),
          .message = std::move(message),
          .seen = {},
          .mark = mark,
          .anchor = anchor};
}

void Handler::refuse(xercesc::SAXParseException const& problem) const {
  throw Stop{malformed(to_utf8(problem.getMessage()),
                       {.line = problem.getLineNumber(), .column = problem.getColumnNumber()}, Finding::Anchor::mark)};
}

void Handler::apply(Verdict const& verdict, std::string_view attribute, Mark mark, std::string_view seen,
                    Finding::Anchor anchor) {
  if (verdict.kind == Verdict::Kind::good) return;
  std::string place = path();
  if (!attribute.empty()) place.append("/@").append(attribute);
  std::string message{attribute};
  if (!attribute.empty()) message.append(" of ");
  message.append(tag(*frames_.back().row)).append(" ").append(verdict.message);
  if (verdict.kind == Verdict::Kind::error) {
    stop(verdict.error, verdict.rule, std::move(place), std::move(message), mark, seen);
  }
  if (warnings_.size() >= warnings_max) return;
  warnings_.push_back({.error = {},
                       .rule = verdict.rule,
                       .path = std::move(place),
                       .message = std::move(message),
                       .seen = cut(seen, limits::seen_bytes_max),
                       .mark = mark,
                       .anchor = anchor});
}

void Handler::startElement(XMLCh const* /*uri*/, XMLCh const* /*local*/, XMLCh const* name,
                           xercesc::Attributes const& attributes) {
  std::u16string_view const written = name;
  ++depth_;
  read_attributes(attributes);
  check_limits(written);
  if (auto const wrong = namespaces_.enter(written, attributes_); !wrong.empty()) {
    throw Stop{malformed(std::string{wrong}, here(), Finding::Anchor::tag)};
  }
  ElementRow const* const row = unknown_depth_ > 0 ? nullptr : find_known(written);
  row == nullptr ? open_unknown(written) : open(*row);
}

void Handler::read_attributes(xercesc::Attributes const& attributes) {
  attributes_.clear();
  for (XMLSize_t i = 0; i < attributes.getLength(); ++i) {
    attributes_.push_back({.name = attributes.getQName(i), .value = attributes.getValue(i)});
  }
}

void Handler::check_limits(std::u16string_view name) const {
  auto const exceed = [&](std::string message, std::u16string_view attribute = {}) {
    std::string place = path();
    append_step(place, name);
    if (!attribute.empty()) append_step(place, std::u16string{u"@"}.append(attribute));
    stop(XmlError::limit_exceeded, XmlRule::limit, std::move(place), std::move(message), here());
  };
  if (depth_ > limits_->depth_max) exceed("elements lie too deep in each other");
  if (attributes_.size() > limits_->attributes_max) exceed("an element has too many attributes");
  for (RawAttribute const& attribute : attributes_) {
    // A unit of UTF-16 is at most three bytes of UTF-8.
    if (attribute.value.size() * 3 <= limits_->attribute_bytes_max) continue;
    if (utf8_size(attribute.value) > limits_->attribute_bytes_max) {
      exceed("the value of an attribute is too long", attribute.name);
    }
  }
  if (memory_.bytes() > memory_max) exceed("the document has too many different names");
}

ElementRow const* Handler::find_known(std::u16string_view name) const {
  if (frames_.empty()) return &root_row(name);
  return find_element(frames_.front().row->format, name);
}

ElementRow const& Handler::root_row(std::u16string_view name) const {
  for (ElementRow const& row : elements()) {
    if (row.is_root() && is_equal(row.wide_name, name) && row.format == expected_.value_or(row.format)) return row;
  }
  std::string const found = to_utf8(name.substr(0, limits::seen_bytes_max));
  bool const is_query = format() == XmlFormat::llm_query;
  std::string message = "the root is <" + found + ">, not ";
  if (!expected_) message.append("<llmQuery> or <llmResponse>");
  if (expected_) message.append(is_query ? "<llmQuery>" : "<llmResponse>");
  stop(XmlError::missing_element, is_query ? XmlRule::q2 : XmlRule::r2, "/" + found, std::move(message), here());
}

/// The names are kept for paths only, in strings that stay when an element is left.
void Handler::open_unknown(std::u16string_view name) {
  if (unknown_.size() == unknown_depth_) unknown_.emplace_back();
  unknown_[unknown_depth_++] = name.substr(0, limits::seen_bytes_max);
}

void Handler::open(ElementRow const& row) {
  Mark const mark = here();
  std::uint32_t number = 1;
  if (!frames_.empty()) number = ++frames_.back().counts[static_cast<std::size_t>(row.element)];
  bool const is_in_place = frames_.empty() || (!row.is_root() && frames_.back().row->element == row.parent);
  std::string_view parent = frames_.empty() ? std::string_view{} : frames_.back().row->name;
  frames_.push_back({.row = &row, .number = number, .mark = mark});
  if (!is_in_place) {
    stop(XmlError::misplaced_element, row.rule, path(), tag(row).append(" has no place in <").append(parent) + ">",
         mark);
  }
  if (number > row.count_max) {
    bool const is_one = row.count_max == 1;
    stop(is_one ? XmlError::duplicate_element : XmlError::limit_exceeded, row.rule, path(),
         is_one ? tag(row).append(" occurs twice") : "more than " + std::to_string(row.count_max) + " " + tag(row),
         mark);
  }
  text_.clear();
  last_tag_ = mark;
  if (row.begin != nullptr) row.begin(parts_);
  take_attributes();
}

/// Most documents have the attributes in the order of the table, so the one at `likely` is looked at first.
RawAttribute const* Handler::find_attribute(std::u16string_view name, std::size_t likely) const noexcept {
  if (likely < attributes_.size() && is_equal(attributes_[likely].name, name)) return &attributes_[likely];
  for (RawAttribute const& attribute : attributes_) {
    if (is_equal(attribute.name, name)) return &attribute;
  }
  return nullptr;
}

void Handler::take_attributes() {
  Frame const& frame = frames_.back();
  std::array<RawAttribute const*, 4> found = {};
  auto const rows = frame.row->attributes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    found[i] = find_attribute(rows[i].wide_name, i);
    if (found[i] == nullptr) {
      stop(XmlError::missing_attribute, frame.row->attributes_rule, path().append("/@").append(rows[i].name),
           tag(*frame.row).append(" has no ").append(rows[i].name), frame.mark);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    value_.clear();
    value_.append(found[i]->value);
    apply(rows[i].take(value_.bytes(), parts_), rows[i].name, frame.mark, value_.bytes());
  }
}

void Handler::characters(XMLCh const* units, XMLSize_t size) {
  if (unknown_depth_ > 0 || frames_.empty()) return;
  std::u16string_view const piece{units, size};
  Frame& frame = frames_.back();
  if (frame.row->has_text) {
    text_.append(piece);
    if (text_.characters() > frame.row->text_max) {
      apply({.kind = Verdict::Kind::error,
             .error = XmlError::limit_exceeded,
             .rule = frame.row->rule,
             .message = "has more than 10,000 characters"},
            {}, frame.mark, {});
    }
    return;
  }
  if (frame.has_stray || std::all_of(piece.begin(), piece.end(), [](char16_t unit) { return is_white_unit(unit); }))
    return;
  frame.has_stray = true;
  apply({.kind = Verdict::Kind::warning, .rule = XmlRule::stray_text, .message = "has text between its elements"}, {},
        last_tag_, {}, Finding::Anchor::text);
}

void Handler::endElement(XMLCh const* /*uri*/, XMLCh const* /*local*/, XMLCh const* /*name*/) {
  namespaces_.leave();
  --depth_;
  if (unknown_depth_ > 0) {
    if (--unknown_depth_ == 0) note_end_of_tag();
  } else {
    close();
  }
}

/// The run of text before an element's end is another than the one behind it.
void Handler::note_end_of_tag() {
  Frame& frame = frames_.back();
  frame.has_stray = false;
  if (!frame.row->has_text) last_tag_ = here();
}

void Handler::close() {
  Frame const& frame = frames_.back();
  for (ElementRow const& row : elements()) {
    bool const is_child = !row.is_root() && row.parent == frame.row->element;
    if (!is_child || frame.counts[static_cast<std::size_t>(row.element)] >= row.count_min) continue;
    stop(XmlError::missing_element, row.rule, path().append("/").append(row.name),
         tag(*frame.row).append(" has no ").append(tag(row)), here());
  }
  if (frame.row->end != nullptr) apply(frame.row->end(text_.bytes(), parts_), {}, frame.mark, {});
  frames_.pop_back();
  if (!frames_.empty()) note_end_of_tag();
}

void Handler::processingInstruction(XMLCh const* target, XMLCh const* /*data*/) {
  if (std::u16string_view{target}.find(u':') == std::u16string_view::npos) return;
  throw Stop{malformed("the target of a processing instruction has a colon", here(), Finding::Anchor::mark)};
}

}  // namespace whence::schema::xml
