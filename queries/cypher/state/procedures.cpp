#include "queries/cypher/state/procedures.hpp"

#include <utility>

namespace whence::queries::cypher {
namespace {

class ListedRows final : public ProcedureRows {
 public:
  explicit ListedRows(std::vector<List> rows) : rows_(std::move(rows)) {
    for (auto const& row : rows_) {
      bytes_ += 64;
      for (auto const& value : row) bytes_ += bytes_of(value);
    }
  }

  [[nodiscard]] Outcome<bool> next(List& row) override {
    if (at_ == rows_.size()) return false;
    row = std::move(rows_[at_++]);
    return true;
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept override { return bytes_; }

 private:
  std::vector<List> rows_;
  std::size_t at_ = 0;
  std::uint64_t bytes_ = 0;
};

std::string fields_text(std::vector<ProcedureField> const& fields) {
  std::string text;
  for (auto const& field : fields) {
    if (!text.empty()) text += ", ";
    text += field.name;
    if (field.is_optional) text += field.type == "MAP" ? " = {}" : " = null";
    text += " :: " + field.type;
  }
  return text;
}

}  // namespace

std::unique_ptr<ProcedureRows> rows_of(std::vector<List> rows) {
  return std::make_unique<ListedRows>(std::move(rows));
}

std::string signature_of(Procedure const& procedure) {
  return procedure.name + "(" + fields_text(procedure.parameters) + ") :: (" + fields_text(procedure.columns) + ")";
}

QueryError Procedures::refusal(std::string_view name) const {
  return {.kind = ErrorKind::procedure_error,
          .detail = "ProcedureNotFound",
          .message = "there is no procedure '" + std::string{name} + "'"};
}

}  // namespace whence::queries::cypher
