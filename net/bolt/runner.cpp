// Rows as messages.

#include "net/bolt/runner.hpp"

#include "net/bolt/chunking.hpp"
#include "net/bolt/messages.hpp"

namespace whence::net::bolt {

PackWriter RowSink::begin_row(std::size_t columns) {
  begin_ = begin_message(text_);
  PackWriter writer{text_, dialect_};
  writer.begin_structure(record_tag, 1);
  writer.begin_list(columns);
  return writer;
}

void RowSink::end_row() {
  end_message(text_, begin_);
  ++rows_;
}

}  // namespace whence::net::bolt
