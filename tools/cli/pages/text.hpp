#pragma once
// What pages are made of: headings, facts and texts. All of it is cleaned for terminals.

#include "tools/cli/process/io.hpp"

#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {

/// An empty line and the heading of a part, in capitals; bold on terminals.
void print_heading(std::string_view title, Io& io);

/// "name: value"; nothing where the value is empty.
void print_fact(std::string_view name, std::string_view value, Io& io);

/// A text line by line, each after `indent`. Of a text beyond 16 KiB the end is left out, and said so.
void print_lines(std::string_view text, std::string_view indent, Io& io);

/// A heading and a text below it; nothing where the text is empty.
void print_text(std::string_view title, std::string_view text, Io& io);

/// That a list is longer than shown, where its answer has a cursor.
void print_whether_more(boost::json::object const& answer, std::string_view how, Io& io);

/// The record of a node in the wire form; empty where it has none.
[[nodiscard]] boost::json::object const& record_in(boost::json::value const& node);

/// A member that is a time, as RFC 3339, whether it is in milliseconds or a text.
[[nodiscard]] std::string time_in(boost::json::object const& record, std::string_view name);

}  // namespace whence::tools
