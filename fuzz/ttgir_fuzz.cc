// Any text may be a dump: its types are listed or it is refused, and every type has a layout or
// says why not. What a type's encoding is written as reads back as the same.

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "heddle/notation/linear.h"
#include "heddle/notation/ttgir.h"

namespace {

using namespace heddle;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_encoding(const linear::Encoding& encoding) {
  const auto from_data = notation::encoding_of(notation::to_datum(encoding));
  require(from_data.has_value() && *from_data == encoding);
  const std::string text = to_string(encoding);
  const auto read = notation::parse_encoding(text);
  // A layout given with its sizes is written without them.
  require(!read || to_string(*read) == text);
}

void check_type(const notation::ListedType& listed) {
  require(!listed.uses.empty());
  if (listed.type && listed.type->encoding) check_encoding(*listed.type->encoding);
  if (!listed.layout) {
    require(!listed.layout.error().code().empty());
    return;
  }
  const auto printed = notation::parse_printed_layout(to_string(*listed.layout));
  require(printed.has_value() && *printed == *listed.layout);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto dump = notation::read_ttgir(text);
  if (!dump) {
    static const std::set<std::string, std::less<>> kCodes = {"syntax.encoding", "ttgir.no_layout",
                                                              "ttgir.too_many_types"};
    require(kCodes.contains(dump.error().code()));
    return 0;
  }
  for (const notation::ListedType& listed : dump->types) check_type(listed);
  for (const notation::ListedConversion& conversion : dump->conversions) {
    require(conversion.source < dump->types.size() && conversion.target < dump->types.size());
  }
  require(!to_string(*dump).empty() && !to_string(to_datum(*dump)).empty());
  return 0;
}
