// Any bytes may be an array of NumPy's, any text a table: read or refused, and what is read is a
// table that its own text reads back as.

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "heddle/form/table.h"
#include "heddle/notation/npy.h"

namespace {

using namespace heddle;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const Result<form::Table>& table) {
  if (!table) {
    static const std::set<std::string, std::less<>> kCodes = {
        "name.characters", "npy.dtype",   "npy.header",   "npy.range",      "npy.size",
        "npy.version",     "table.shape", "table.syntax", "table.too_large"};
    require(kCodes.contains(table.error().code()));
    return;
  }
  const auto again = form::make_table(table->extents, table->axes, table->values);
  require(again.has_value() && *again == *table);
  if (table->axes.size() > 1) return;
  const auto read = notation::parse_table(to_string(*table));
  require(read.has_value() && read->extents == table->extents && read->values == table->values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const bool is_array = notation::looks_like_npy(bytes);
  const auto array = notation::read_npy(bytes);
  require(is_array || !array);
  check(array);
  check(notation::parse_table(bytes));
  return 0;
}
