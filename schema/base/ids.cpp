// Printing of numbers, with a letter that says of which kind, for test output and logs.
#include "schema/base/ids.hpp"

#include <ostream>

namespace whence::schema {

std::ostream& operator<<(std::ostream& out, VertexId id) {
  return out << 'v' << number(id);
}
std::ostream& operator<<(std::ostream& out, EdgeId id) {
  return out << 'e' << number(id);
}
std::ostream& operator<<(std::ostream& out, TxId id) {
  return out << "tx" << number(id);
}

}  // namespace whence::schema
