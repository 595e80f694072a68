"""How large a place is, by its name: who lives in Germany may live in Berlin."""

from collections.abc import Mapping

_COUNTRIES = (
    "afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahrain bangladesh "
    "belarus belgium belize benin bhutan bolivia bosnia botswana brazil brunei bulgaria cambodia cameroon canada chad "
    "chile china colombia croatia cuba cyprus czechia denmark ecuador egypt england eritrea estonia ethiopia europe "
    "fiji finland france gabon gambia germany ghana greece greenland guatemala guinea guyana haiti honduras hungary "
    "iceland india indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya kosovo kuwait laos "
    "latvia lebanon liberia libya lithuania luxembourg madagascar malawi malaysia mali malta mauritius mexico moldova "
    "mongolia montenegro morocco mozambique myanmar namibia nepal netherlands holland nicaragua niger nigeria norway "
    "oman pakistan palestine panama paraguay peru philippines poland portugal qatar romania russia rwanda scotland "
    "senegal serbia singapore slovakia slovenia somalia spain sudan suriname sweden switzerland syria taiwan "
    "tajikistan tanzania thailand togo tunisia turkey türkiye turkmenistan uganda ukraine uruguay usa america uk "
    "britain uzbekistan venezuela vietnam wales yemen zambia zimbabwe"
)
_STATES = (
    "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois "
    "indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri "
    "montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia wisconsin "
    "wyoming ontario quebec alberta manitoba saskatchewan bavaria saxony catalonia andalusia tuscany lombardy sicily "
    "brittany provence normandy queensland victoria tasmania punjab kerala gujarat rajasthan"
)
EXTENT: Mapping[str, int] = {word: size for size, listed in ((2, _COUNTRIES), (1, _STATES)) for word in listed.split()}
"""How large a place is, by the word for it: 2 a country, 1 a part of one; what is not here is a town."""
