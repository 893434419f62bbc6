-- A registry as bugle wrote it before its migration 'figuresFromRows', after 'bugle apply -C campaigns': 60 devices, two pushes sent and
-- one scheduled. The package's test brings it up to date by an upgrade.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('objects');
INSERT INTO grdb_migrations VALUES('pushes');
INSERT INTO grdb_migrations VALUES('deadTokensAndScans');
INSERT INTO grdb_migrations VALUES('fields');
INSERT INTO grdb_migrations VALUES('rowsUsedOnce');
INSERT INTO grdb_migrations VALUES('deploys');
INSERT INTO grdb_migrations VALUES('pushesToApple');
INSERT INTO grdb_migrations VALUES('registryIdentity');
INSERT INTO grdb_migrations VALUES('rowsProvenAnew');
CREATE TABLE installation (
  id INTEGER PRIMARY KEY,
  objectId TEXT NOT NULL UNIQUE,
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL,
  document TEXT NOT NULL,
  deviceType TEXT GENERATED ALWAYS AS (json_extract(document, '$.deviceType')) STORED,
  deviceToken TEXT GENERATED ALWAYS AS (nullif(json_extract(document, '$.deviceToken'), '')) STORED,
  installationId TEXT GENERATED ALWAYS AS (nullif(json_extract(document, '$.installationId'), '')) STORED,
  deviceProfile TEXT GENERATED ALWAYS AS (json_extract(document, '$.deviceProfile')) STORED,
  badge INTEGER GENERATED ALWAYS AS (json_extract(document, '$.badge')) STORED,
  valid INTEGER GENERATED ALWAYS AS (json_type(document, '$.valid') = 'true') STORED
);
INSERT INTO installation VALUES(1,'9307ff1a62fe5f662e1f108a',1780137917295,1790678717295,'{"badge":3,"channels":["Mets","suitcaseOwners","public"],"deviceToken":"defa33600b7932b4cd1817902c6cc4d52fe0b7e783b4f4cdc560957a8de44350","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"23dfa85f7cf1d794a49130e2"},"scores":false,"timeZone":"America/New_York","valid":true}');
INSERT INTO installation VALUES(2,'b10a5f6cb2fc64ddcf2afcd5',1788063526545,1793506726545,'{"badge":7,"channels":["新闻"],"deviceToken":"c54b689974b70b25eb20b9249cb7ee70875664a2968f95799818167428470894","deviceType":"ios","gameResults":false,"injuryReports":true,"owner":{"__type":"Pointer","className":"_User","objectId":"9fcb921fcac2cb7bf14584d3"},"scores":true,"timeZone":"Asia/Shanghai","valid":true}');
INSERT INTO installation VALUES(3,'ce033b00ad4b7f9acf4501c4',1757026846839,1794265246839,'{"channels":["Mets","public"],"deviceType":"android","gameResults":false,"injuryReports":false,"installationId":"2fc288b8-e4ff-1ba1-d2f0-db2e98b3f39b","owner":{"__type":"Pointer","className":"_User","objectId":"5f1d57e33cc4693a49a30e6b"},"scores":true,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(4,'521a324bf8b371e6ce73e24b',1766239038833,1793541438833,'{"channels":["public","新闻"],"deviceType":"android","gameResults":false,"injuryReports":true,"installationId":"f49cc2ef-5835-d344-49ad-66dc068c9a7e","owner":{"__type":"Pointer","className":"_User","objectId":"5bdc10dc14eeb0dc47d10460"},"scores":true,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(5,'7137116f3bb5477909b49268',1752467936088,1793680736088,'{"channels":["Giants","public"],"deviceProfile":"passenger","deviceType":"android","gameResults":false,"injuryReports":true,"installationId":"e3c8d39e-040e-58b0-afde-f1c04644e719","owner":{"__type":"Pointer","className":"_User","objectId":"2d14be6339d934fb044a9636"},"scores":false,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(6,'f183e9a598ebdce69d5aefb5',1780365863526,1793671463526,'{"badge":5,"channels":["suitcaseOwners","public"],"deviceProfile":"driver","deviceToken":"e39b8f210395025217af4740d067b6c6e2b5a865d3dd6704962280069565b158","deviceType":"ios","gameResults":true,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"4142bf7c4a82e210463b6a4f"},"scores":true,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(7,'f898da4219a2fa54a750c2b1',1763186232987,1793771832987,'{"badge":3,"channels":["Giants","Mets","public"],"deviceToken":"f6e6be24c176e70baf52d4e18450c52d9eef4dd4ecb591b0d5482455caee777b","deviceType":"ios","gameResults":true,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"f110214427c6760c9afc0771"},"scores":true,"timeZone":"America/New_York","valid":true}');
INSERT INTO installation VALUES(8,'f2387c2e60e1567e64792a4b',1773568343174,1792317143174,'{"badge":5,"channels":[],"deviceProfile":"passenger","deviceToken":"4e5b03f3d0209981b430d4770fce40e1b598401081b083ac338d05fedea3d64e","deviceType":"ios","gameResults":false,"injuryReports":true,"owner":{"__type":"Pointer","className":"_User","objectId":"f49076cfceab22fc42b80463"},"scores":true,"timeZone":"Asia/Shanghai","valid":true}');
INSERT INTO installation VALUES(9,'03b47099ec5c300ef9aa0843',1764813116231,1794361916231,'{"badge":8,"channels":["Giants","Mets","public"],"deviceProfile":"driver","deviceToken":"ff17f352691ccb6304f93780d12118f8bd1da6fea3e637e828c2ed133be6ebc1","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"84759f787bbeb2dfd2ac8a2a"},"scores":true,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(10,'f989218adc270a85ec29e8ab',1746524042670,1794994442670,'{"badge":3,"channels":["public","新闻"],"deviceProfile":"driver","deviceToken":"14ee94f4b1445329bed860db1539b526644335cdf365051001464d2a45a46c35","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"57e921ba8b381cc241eaf6dd"},"scores":true,"timeZone":"America/New_York","valid":true}');
INSERT INTO installation VALUES(11,'65d05fa4335ad487a90b7df6',1750123491818,1794360291818,'{"channels":["Giants","public"],"deviceProfile":"driver","deviceType":"android","gameResults":true,"injuryReports":true,"installationId":"234db83d-928a-9d5e-1649-8f45eaeace21","owner":{"__type":"Pointer","className":"_User","objectId":"3d7f2ab542f2abe48cad544e"},"scores":false,"timeZone":"America/New_York","valid":true}');
INSERT INTO installation VALUES(12,'ffac92742aa1c03a8978540a',1722257286286,1777121286286,'{"badge":6,"channels":["Indians","public"],"deviceToken":"1176e1da6583636ceae4801b1ac6b4ffb45ad452dd91bb38664b9dd85d5964da","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"dc977fba5d6d68fca964864c"},"scores":false,"timeZone":"Asia/Shanghai","valid":true}');
INSERT INTO installation VALUES(13,'d71417bb52f4ddefcd2d3489',1741751080054,1793159080054,'{"badge":6,"channels":["public","新闻"],"deviceProfile":"passenger","deviceToken":"609cd21e063b4cd06fe7d8565e8fb89ee0f09308cf44c88afad1e1ec920a2f79","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"a3e559ef5bc5ef122352048c"},"scores":false,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(14,'bc2df9e021672ede64d7885e',1786779085516,1792135885516,'{"badge":8,"channels":["Indians","suitcaseOwners","public"],"deviceToken":"8c381c3e5ab4af897b68caf97cf3ef661cadec055bf01a43bda1010c09d28a4c","deviceType":"ios","gameResults":true,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"2684efde072042f13fe26c66"},"scores":false,"timeZone":"America/New_York","valid":true}');
INSERT INTO installation VALUES(15,'b9d16607cbde96364dd29730',1748261877897,1793103477897,'{"badge":2,"channels":["Mets","suitcaseOwners","public"],"deviceProfile":"driver","deviceToken":"89c854e5ffb75d0f2751c570904ada4db2985ce7b395813cc0614fd64f63aba6","deviceType":"ios","gameResults":true,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"dc91149059f30b5454a3b298"},"scores":false,"timeZone":"America/New_York","valid":true}');
INSERT INTO installation VALUES(16,'8cddeddb464962e9d614fba1',1746388142363,1792698542363,'{"channels":["Indians"],"deviceType":"android","gameResults":true,"injuryReports":false,"installationId":"59566c50-682a-7f4a-19be-4458ed4c6f51","owner":{"__type":"Pointer","className":"_User","objectId":"23dfa85f7cf1d794a49130e2"},"scores":false,"timeZone":"Europe/Berlin","valid":true}');
INSERT INTO installation VALUES(17,'dea61637da95b6598ebf333c',1772618771947,1792058771947,'{"badge":2,"channels":["public","新闻"],"deviceToken":"ed3b18e0cd3e6a8afc0e302aec54972118cb6ca0d9095aa41f9041bc618051f2","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"9fcb921fcac2cb7bf14584d3"},"scores":true,"timeZone":"Europe/Berlin","valid":true}');
INSERT INTO installation VALUES(18,'a34e1b2883cd0edf666fa42f',1758723772087,1791987772087,'{"channels":["public"],"deviceType":"android","gameResults":true,"injuryReports":true,"installationId":"bd7fa8e0-438d-a4fd-a293-53bf3c3024f8","owner":{"__type":"Pointer","className":"_User","objectId":"5f1d57e33cc4693a49a30e6b"},"scores":true,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(19,'7543b6a2f91da38986b26d7d',1740645646659,1791362446659,'{"badge":3,"channels":["public","新闻"],"deviceToken":"0191eae1bdd657d41c87b72bbcb30559ba3b8c2145f85cbc7558ee905dbfe837","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"5bdc10dc14eeb0dc47d10460"},"scores":false,"timeZone":"America/New_York","valid":false}');
INSERT INTO installation VALUES(20,'237595f8a41395264d250220',1740291977469,1793255177469,'{"badge":3,"channels":["suitcaseOwners","public"],"deviceProfile":"passenger","deviceToken":"4a4137956aa64d0df8dea20be8dd56d3d5720f1aac453f11bd575df8655bbfb6","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"2d14be6339d934fb044a9636"},"scores":false,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(21,'169fa52b62af43b83d708669',1743803027557,1794087827557,'{"badge":9,"channels":["Giants","Indians","suitcaseOwners","public"],"deviceToken":"4035cbf9588488564e66da6444fc55ad7ae40bce4e34acefc468d6916df6ae0e","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"4142bf7c4a82e210463b6a4f"},"scores":true,"timeZone":"America/New_York","valid":true}');
INSERT INTO installation VALUES(22,'775d90e201d724d8b658fcf9',1790559102755,1792287102755,'{"channels":["public"],"deviceType":"android","gameResults":false,"injuryReports":false,"installationId":"18034b37-8891-fff2-925e-b976abeb0baf","owner":{"__type":"Pointer","className":"_User","objectId":"f110214427c6760c9afc0771"},"scores":true,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(23,'9f1122700b36d61ee93d8367',1763941505113,1791157505113,'{"channels":["public"],"deviceProfile":"driver","deviceType":"android","gameResults":true,"injuryReports":true,"installationId":"e37ba2a0-94e5-290d-bb27-9706dc2bcdd4","owner":{"__type":"Pointer","className":"_User","objectId":"f49076cfceab22fc42b80463"},"scores":false,"timeZone":"America/New_York","valid":true}');
INSERT INTO installation VALUES(24,'fdb139bd776301bbb83f8872',1790702565457,1794158565457,'{"badge":0,"channels":["Giants","Mets","public"],"deviceProfile":"passenger","deviceToken":"ab3a02b3057d878e82fac9bb44d946b43dcd86778ae934269ce4810f4ad13e55","deviceType":"ios","gameResults":false,"injuryReports":true,"owner":{"__type":"Pointer","className":"_User","objectId":"84759f787bbeb2dfd2ac8a2a"},"scores":false,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(25,'1d287f26810ae71c5f98ae46',1744196502641,1795258902641,'{"badge":4,"channels":["public","新闻"],"deviceToken":"3accc57589518de7910f326909a59e19dc725b76cf8a58d80b10999db7b18d45","deviceType":"ios","gameResults":true,"injuryReports":true,"owner":{"__type":"Pointer","className":"_User","objectId":"57e921ba8b381cc241eaf6dd"},"scores":true,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(26,'3f7e9d140c4052ee3490ee70',1763255990662,1790212790662,'{"badge":5,"channels":[],"deviceProfile":"passenger","deviceToken":"3bf02f2fb4b50bb4ecbf0f61c16d5255fa633e66ecb949cf5626e50e55573799","deviceType":"ios","gameResults":true,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"3d7f2ab542f2abe48cad544e"},"scores":true,"timeZone":"Asia/Shanghai","valid":true}');
INSERT INTO installation VALUES(27,'fdb13b1b41a9fd6ef0dcbc29',1738768306489,1791385906489,'{"badge":9,"channels":["Giants","Indians","public"],"deviceToken":"d4064476f9bae363e85677a9cc3d929a7159ce7c3bf467ee0de1e98c25264568","deviceType":"ios","gameResults":true,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"dc977fba5d6d68fca964864c"},"scores":true,"timeZone":"America/New_York","valid":true}');
INSERT INTO installation VALUES(28,'3029f6e0549861a547850e65',1740478189676,1791540589676,'{"badge":3,"channels":["Giants","public"],"deviceProfile":"passenger","deviceToken":"fd00e23fb820980a6f4e8e41e155c030858b1b163e625398a879da780f6f126c","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"a3e559ef5bc5ef122352048c"},"scores":false,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(29,'4e6ff9e967d3e0ebb65cac01',1792646555411,1794028955411,'{"badge":4,"channels":["Indians"],"deviceToken":"535228db54b56adab04ed1b337f8e7c8d85d42abbeecbaae14392dbb34ae5abc","deviceType":"ios","gameResults":false,"injuryReports":true,"owner":{"__type":"Pointer","className":"_User","objectId":"2684efde072042f13fe26c66"},"scores":true,"timeZone":"Asia/Shanghai","valid":true}');
INSERT INTO installation VALUES(30,'bf20fdac2f0214ef23481c6f',1741062995352,1792816595352,'{"badge":7,"channels":["public","新闻"],"deviceProfile":"driver","deviceToken":"896a6608054c0daed6fc31b84da05b50e4fbf2fe31ba6bdcde1f1eb55e396768","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"dc91149059f30b5454a3b298"},"scores":true,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(31,'d64786ce6f5079b506e592d7',1745568567597,1794643767597,'{"channels":["Mets","public"],"deviceProfile":"passenger","deviceType":"android","gameResults":false,"injuryReports":true,"installationId":"26e40622-7008-ec09-45c6-a53ca1a0cadd","owner":{"__type":"Pointer","className":"_User","objectId":"23dfa85f7cf1d794a49130e2"},"scores":true,"timeZone":"Europe/Berlin","valid":true}');
INSERT INTO installation VALUES(32,'8aab1dace49cf9f3031a9a50',1792453800031,1793749800031,'{"channels":["public"],"deviceType":"android","gameResults":false,"injuryReports":false,"installationId":"bde59ee8-4b04-6c08-ee9a-02727aef1b69","owner":{"__type":"Pointer","className":"_User","objectId":"9fcb921fcac2cb7bf14584d3"},"scores":false,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(33,'3593f4be9478bee594804d8e',1769406062328,1793511662328,'{"badge":2,"channels":["Mets","Indians","public","新闻"],"deviceToken":"5237d8ba2d98aeae1bf26bbb224f8c3d607df732fd316f60e19659306782ff02","deviceType":"ios","gameResults":true,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"5f1d57e33cc4693a49a30e6b"},"scores":true,"timeZone":"America/New_York","valid":true}');
INSERT INTO installation VALUES(34,'47fdc9a4e870252680c81e58',1745281736927,1795134536927,'{"badge":6,"channels":["public"],"deviceProfile":"driver","deviceToken":"48953ee1bb403abffbd93549f5ea48722340a9cb186125d3fb38ef0a04bf1d86","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"5bdc10dc14eeb0dc47d10460"},"scores":false,"timeZone":"Asia/Shanghai","valid":true}');
INSERT INTO installation VALUES(35,'51252b172673ad4531566535',1768624258381,1793507458381,'{"channels":["Mets","public"],"deviceProfile":"passenger","deviceType":"android","gameResults":false,"injuryReports":false,"installationId":"536526b9-679b-6669-1baf-f53127dca02d","owner":{"__type":"Pointer","className":"_User","objectId":"2d14be6339d934fb044a9636"},"scores":true,"timeZone":"Europe/Berlin","valid":true}');
INSERT INTO installation VALUES(36,'6dc32b934450654cf8d42d76',1791325111442,1793485111442,'{"channels":["suitcaseOwners","public","新闻"],"deviceType":"android","gameResults":false,"injuryReports":false,"installationId":"750f00de-1dfe-d3d6-4f4f-84707a8ad1bd","owner":{"__type":"Pointer","className":"_User","objectId":"4142bf7c4a82e210463b6a4f"},"scores":true,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(37,'e0eb71ddf1df13a40991ba65',1750679270542,1793533670542,'{"channels":["Giants","public","新闻"],"deviceProfile":"passenger","deviceType":"android","gameResults":false,"injuryReports":false,"installationId":"ed371f30-8b0a-c74b-d6b4-a16433c4c3ff","owner":{"__type":"Pointer","className":"_User","objectId":"f110214427c6760c9afc0771"},"scores":true,"timeZone":"Asia/Shanghai","valid":true}');
INSERT INTO installation VALUES(38,'3d8f21323835f5890830b666',1760850671068,1795151471068,'{"badge":4,"channels":[],"deviceToken":"7f80a49f3222c8be214b61be67d39bd0bc7daa3caff07207d8ba27e0dac6e7fd","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"f49076cfceab22fc42b80463"},"scores":true,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(39,'a73ecdf810751e727c862336',1738979222059,1792720022059,'{"badge":3,"channels":["public","新闻"],"deviceProfile":"driver","deviceToken":"f3ff1d0a90970140f070f7ccc746bf6431827f5687c75ae9a23f9a254578596f","deviceType":"ios","gameResults":false,"injuryReports":true,"owner":{"__type":"Pointer","className":"_User","objectId":"84759f787bbeb2dfd2ac8a2a"},"scores":true,"timeZone":"Asia/Shanghai","valid":true}');
INSERT INTO installation VALUES(40,'f093c4cda5387e3424345e9e',1736358755758,1795024355758,'{"channels":["Indians","suitcaseOwners","public"],"deviceProfile":"driver","deviceType":"android","gameResults":true,"injuryReports":false,"installationId":"d165d531-58b1-a36f-99bd-dc111c7276ad","owner":{"__type":"Pointer","className":"_User","objectId":"57e921ba8b381cc241eaf6dd"},"scores":false,"timeZone":"Asia/Shanghai","valid":true}');
INSERT INTO installation VALUES(41,'7df7c36701fe4f8318394f3a',1763136627106,1792080627106,'{"channels":["public"],"deviceProfile":"driver","deviceType":"android","gameResults":false,"injuryReports":false,"installationId":"b63bfebd-c25a-cb1f-624d-d5324e9503dc","owner":{"__type":"Pointer","className":"_User","objectId":"3d7f2ab542f2abe48cad544e"},"scores":false,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(42,'8f8a5801778048232bc193f9',1751148243494,1790892243494,'{"channels":["public"],"deviceType":"android","gameResults":true,"injuryReports":false,"installationId":"bb1e6535-9de2-f497-53ce-41fb84919a76","owner":{"__type":"Pointer","className":"_User","objectId":"dc977fba5d6d68fca964864c"},"scores":false,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(43,'c77d61f5850c30a364b1e75e',1743573801969,1793599401969,'{"badge":6,"channels":["Mets","suitcaseOwners","public","新闻"],"deviceProfile":"passenger","deviceToken":"8d73989826d544e716134daf6eb7d5a92d38fe4ef5678ddd1bb29315f9c0deff","deviceType":"ios","gameResults":true,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"a3e559ef5bc5ef122352048c"},"scores":false,"timeZone":"America/New_York","valid":true}');
INSERT INTO installation VALUES(44,'acaba5279000a2c46b7f4ad2',1774295653745,1794599653745,'{"badge":3,"channels":["Giants","Mets","Indians"],"deviceProfile":"passenger","deviceToken":"85e1d7900e3790aa24cbc58eaf35e537b32e233962a0df5ea85c95975bd377a5","deviceType":"ios","gameResults":false,"injuryReports":true,"owner":{"__type":"Pointer","className":"_User","objectId":"2684efde072042f13fe26c66"},"scores":false,"timeZone":"Europe/Berlin","valid":true}');
INSERT INTO installation VALUES(45,'3ddf52ea0c0cfe63b2d1da2c',1749876742377,1794027142377,'{"badge":7,"channels":["Giants","public"],"deviceToken":"6642888a0a52adf7d0e14902bde8760602dc07bfa6a6205d39df1023312f7b39","deviceType":"ios","gameResults":true,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"dc91149059f30b5454a3b298"},"scores":false,"timeZone":"Asia/Shanghai","valid":true}');
INSERT INTO installation VALUES(46,'e742a4acdd501c523792273c',1777600664109,1791597464109,'{"channels":["Giants","Indians","public"],"deviceProfile":"driver","deviceType":"android","gameResults":true,"injuryReports":false,"installationId":"0a7991a4-7a40-6c16-b1b2-65093a91c366","owner":{"__type":"Pointer","className":"_User","objectId":"23dfa85f7cf1d794a49130e2"},"scores":true,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(47,'611edf0c6d712509abf43ce3',1752646127129,1794290927129,'{"badge":4,"channels":[],"deviceToken":"2bfbcca89e997a54bcb190e18ef528611d1b7c3b383ad61a6850f9f3d5ba1b6c","deviceType":"ios","gameResults":true,"injuryReports":true,"owner":{"__type":"Pointer","className":"_User","objectId":"9fcb921fcac2cb7bf14584d3"},"scores":false,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(48,'b466cf3168ca738cfaeabe5b',1789917450508,1791731850508,'{"badge":2,"channels":["Indians","public","新闻"],"deviceToken":"9b734b6d43af2493ad1aa75b61e8bf3fb2dd6b49b061ae4988cf2db14814b57b","deviceType":"ios","gameResults":true,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"5f1d57e33cc4693a49a30e6b"},"scores":true,"timeZone":"Asia/Shanghai","valid":true}');
INSERT INTO installation VALUES(49,'413e424ccb3002f0f0d27729',1790390139905,1794623739905,'{"channels":["Giants","public"],"deviceType":"android","gameResults":true,"injuryReports":false,"installationId":"67504fa7-6478-d90a-902b-48b48408df48","owner":{"__type":"Pointer","className":"_User","objectId":"5bdc10dc14eeb0dc47d10460"},"scores":true,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(50,'bca25cc17ac17db1179014d4',1747379929845,1793863129845,'{"channels":["public"],"deviceProfile":"passenger","deviceType":"android","gameResults":true,"injuryReports":true,"installationId":"5a9ea6f6-3046-f17d-6036-fe880ad8a704","owner":{"__type":"Pointer","className":"_User","objectId":"2d14be6339d934fb044a9636"},"scores":true,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(51,'a875673673ee05fd0188446b',1747085001198,1790803401198,'{"badge":2,"channels":["public"],"deviceToken":"056b391297bcc3b98bae55ec8e2a0270340fcf6fc1954b784bbf674228a15a9f","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"4142bf7c4a82e210463b6a4f"},"scores":false,"timeZone":"Asia/Shanghai","valid":true}');
INSERT INTO installation VALUES(52,'25c3927f25c2436e77079163',1745700891467,1794084891467,'{"channels":["public","新闻"],"deviceType":"android","gameResults":true,"injuryReports":false,"installationId":"3b435021-3fac-ffbf-ab09-2a0fe71bd8f8","owner":{"__type":"Pointer","className":"_User","objectId":"f110214427c6760c9afc0771"},"scores":false,"timeZone":"Europe/Berlin","valid":true}');
INSERT INTO installation VALUES(53,'218fa90c792bfa079340e0cb',1748478377614,1793579177614,'{"channels":[],"deviceType":"android","gameResults":false,"injuryReports":false,"installationId":"204e4e8f-d991-9ece-5273-3536e344b616","owner":{"__type":"Pointer","className":"_User","objectId":"f49076cfceab22fc42b80463"},"scores":false,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(54,'54c041b98b83dcd862486ea3',1761494463980,1790265663980,'{"badge":8,"channels":["Mets","Indians","public"],"deviceProfile":"driver","deviceToken":"771be3b8349372d1cc93688a2f9c9a30e45dab350e12b703d0ce362a01cb90d3","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"84759f787bbeb2dfd2ac8a2a"},"scores":false,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(55,'73e51a6aa77d4511873a5a98',1767277261547,1794493261547,'{"badge":7,"channels":["public","新闻"],"deviceProfile":"passenger","deviceToken":"7776e6486da1a1623c6387b3b26505fd63657565948e58f22ff8e76fc9f7c959","deviceType":"ios","gameResults":false,"injuryReports":true,"owner":{"__type":"Pointer","className":"_User","objectId":"57e921ba8b381cc241eaf6dd"},"scores":false,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(56,'2e8660b5c2daf1d64a83762e',1752001580902,1791313580902,'{"channels":["public","新闻"],"deviceProfile":"driver","deviceType":"android","gameResults":false,"injuryReports":false,"installationId":"84f8317d-4a0e-300d-5292-cefca108a483","owner":{"__type":"Pointer","className":"_User","objectId":"3d7f2ab542f2abe48cad544e"},"scores":false,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(57,'3219572528fb02a2e52e0188',1744689925577,1791345925577,'{"badge":5,"channels":["Giants","public"],"deviceProfile":"driver","deviceToken":"7aceb986e36ab9cffaf74dfceff2c2ceb0d90534c807b596b08f8961d3ec5b76","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"dc977fba5d6d68fca964864c"},"scores":true,"timeZone":"Asia/Tokyo","valid":true}');
INSERT INTO installation VALUES(58,'c2df82cad88251d83cce2aee',1786618492788,1793789692788,'{"badge":0,"channels":["Giants","Indians","public","新闻"],"deviceToken":"c754453880732e02f14e016c7909488ca80156ff1353b5cc98da1d61deb60896","deviceType":"ios","gameResults":false,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"a3e559ef5bc5ef122352048c"},"scores":false,"timeZone":"America/Los_Angeles","valid":true}');
INSERT INTO installation VALUES(59,'618a088dfce1523c3ffb5de3',1752149519513,1791547919513,'{"badge":7,"channels":["public","新闻"],"deviceProfile":"driver","deviceToken":"a4fa2481fb92739cc6d88d1c42cba605f3d088c021946d52fb143f79eb36abed","deviceType":"ios","gameResults":true,"injuryReports":false,"owner":{"__type":"Pointer","className":"_User","objectId":"2684efde072042f13fe26c66"},"scores":true,"timeZone":"America/New_York","valid":true}');
INSERT INTO installation VALUES(60,'8363dee65c15ba69c1e34c51',1791884497778,1793094097778,'{"badge":5,"channels":[],"deviceToken":"938c96a9deefe65472d06996176c82ce03065c1dc760777189db12c17b1300ed","deviceType":"ios","gameResults":false,"injuryReports":true,"owner":{"__type":"Pointer","className":"_User","objectId":"dc91149059f30b5454a3b298"},"scores":false,"timeZone":"America/Los_Angeles","valid":true}');
CREATE TABLE channel (
  name TEXT NOT NULL,
  installation INTEGER NOT NULL,
  PRIMARY KEY (name, installation)
) WITHOUT ROWID;
INSERT INTO channel VALUES('Mets',1);
INSERT INTO channel VALUES('public',1);
INSERT INTO channel VALUES('suitcaseOwners',1);
INSERT INTO channel VALUES('新闻',2);
INSERT INTO channel VALUES('Mets',3);
INSERT INTO channel VALUES('public',3);
INSERT INTO channel VALUES('public',4);
INSERT INTO channel VALUES('新闻',4);
INSERT INTO channel VALUES('Giants',5);
INSERT INTO channel VALUES('public',5);
INSERT INTO channel VALUES('public',6);
INSERT INTO channel VALUES('suitcaseOwners',6);
INSERT INTO channel VALUES('Giants',7);
INSERT INTO channel VALUES('Mets',7);
INSERT INTO channel VALUES('public',7);
INSERT INTO channel VALUES('Giants',9);
INSERT INTO channel VALUES('Mets',9);
INSERT INTO channel VALUES('public',9);
INSERT INTO channel VALUES('public',10);
INSERT INTO channel VALUES('新闻',10);
INSERT INTO channel VALUES('Giants',11);
INSERT INTO channel VALUES('public',11);
INSERT INTO channel VALUES('Indians',12);
INSERT INTO channel VALUES('public',12);
INSERT INTO channel VALUES('public',13);
INSERT INTO channel VALUES('新闻',13);
INSERT INTO channel VALUES('Indians',14);
INSERT INTO channel VALUES('public',14);
INSERT INTO channel VALUES('suitcaseOwners',14);
INSERT INTO channel VALUES('Mets',15);
INSERT INTO channel VALUES('public',15);
INSERT INTO channel VALUES('suitcaseOwners',15);
INSERT INTO channel VALUES('Indians',16);
INSERT INTO channel VALUES('public',17);
INSERT INTO channel VALUES('新闻',17);
INSERT INTO channel VALUES('public',18);
INSERT INTO channel VALUES('public',19);
INSERT INTO channel VALUES('新闻',19);
INSERT INTO channel VALUES('public',20);
INSERT INTO channel VALUES('suitcaseOwners',20);
INSERT INTO channel VALUES('Giants',21);
INSERT INTO channel VALUES('Indians',21);
INSERT INTO channel VALUES('public',21);
INSERT INTO channel VALUES('suitcaseOwners',21);
INSERT INTO channel VALUES('public',22);
INSERT INTO channel VALUES('public',23);
INSERT INTO channel VALUES('Giants',24);
INSERT INTO channel VALUES('Mets',24);
INSERT INTO channel VALUES('public',24);
INSERT INTO channel VALUES('public',25);
INSERT INTO channel VALUES('新闻',25);
INSERT INTO channel VALUES('Giants',27);
INSERT INTO channel VALUES('Indians',27);
INSERT INTO channel VALUES('public',27);
INSERT INTO channel VALUES('Giants',28);
INSERT INTO channel VALUES('public',28);
INSERT INTO channel VALUES('Indians',29);
INSERT INTO channel VALUES('public',30);
INSERT INTO channel VALUES('新闻',30);
INSERT INTO channel VALUES('Mets',31);
INSERT INTO channel VALUES('public',31);
INSERT INTO channel VALUES('public',32);
INSERT INTO channel VALUES('Indians',33);
INSERT INTO channel VALUES('Mets',33);
INSERT INTO channel VALUES('public',33);
INSERT INTO channel VALUES('新闻',33);
INSERT INTO channel VALUES('public',34);
INSERT INTO channel VALUES('Mets',35);
INSERT INTO channel VALUES('public',35);
INSERT INTO channel VALUES('public',36);
INSERT INTO channel VALUES('suitcaseOwners',36);
INSERT INTO channel VALUES('新闻',36);
INSERT INTO channel VALUES('Giants',37);
INSERT INTO channel VALUES('public',37);
INSERT INTO channel VALUES('新闻',37);
INSERT INTO channel VALUES('public',39);
INSERT INTO channel VALUES('新闻',39);
INSERT INTO channel VALUES('Indians',40);
INSERT INTO channel VALUES('public',40);
INSERT INTO channel VALUES('suitcaseOwners',40);
INSERT INTO channel VALUES('public',41);
INSERT INTO channel VALUES('public',42);
INSERT INTO channel VALUES('Mets',43);
INSERT INTO channel VALUES('public',43);
INSERT INTO channel VALUES('suitcaseOwners',43);
INSERT INTO channel VALUES('新闻',43);
INSERT INTO channel VALUES('Giants',44);
INSERT INTO channel VALUES('Indians',44);
INSERT INTO channel VALUES('Mets',44);
INSERT INTO channel VALUES('Giants',45);
INSERT INTO channel VALUES('public',45);
INSERT INTO channel VALUES('Giants',46);
INSERT INTO channel VALUES('Indians',46);
INSERT INTO channel VALUES('public',46);
INSERT INTO channel VALUES('Indians',48);
INSERT INTO channel VALUES('public',48);
INSERT INTO channel VALUES('新闻',48);
INSERT INTO channel VALUES('Giants',49);
INSERT INTO channel VALUES('public',49);
INSERT INTO channel VALUES('public',50);
INSERT INTO channel VALUES('public',51);
INSERT INTO channel VALUES('public',52);
INSERT INTO channel VALUES('新闻',52);
INSERT INTO channel VALUES('Indians',54);
INSERT INTO channel VALUES('Mets',54);
INSERT INTO channel VALUES('public',54);
INSERT INTO channel VALUES('public',55);
INSERT INTO channel VALUES('新闻',55);
INSERT INTO channel VALUES('public',56);
INSERT INTO channel VALUES('新闻',56);
INSERT INTO channel VALUES('Giants',57);
INSERT INTO channel VALUES('public',57);
INSERT INTO channel VALUES('Giants',58);
INSERT INTO channel VALUES('Indians',58);
INSERT INTO channel VALUES('public',58);
INSERT INTO channel VALUES('新闻',58);
INSERT INTO channel VALUES('public',59);
INSERT INTO channel VALUES('新闻',59);
CREATE TABLE class (name TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO class VALUES('BugleLedger');
INSERT INTO class VALUES('BugleLock');
INSERT INTO class VALUES('BugleResource');
INSERT INTO class VALUES('_Installation');
INSERT INTO class VALUES('_User');
CREATE TABLE object (
  id INTEGER PRIMARY KEY,
  class TEXT NOT NULL,
  objectId TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL,
  document TEXT NOT NULL,
  UNIQUE (class, objectId)
);
INSERT INTO object VALUES(1,'_User','23dfa85f7cf1d794a49130e2',1767896493318,1767896493318,'{"location":{"__type":"GeoPoint","latitude":39.9379,"longitude":116.2962},"username":"user0"}');
INSERT INTO object VALUES(2,'_User','9fcb921fcac2cb7bf14584d3',1764094893318,1764094893318,'{"location":{"__type":"GeoPoint","latitude":39.9964,"longitude":116.306},"username":"user1"}');
INSERT INTO object VALUES(3,'_User','5f1d57e33cc4693a49a30e6b',1781288493318,1781288493318,'{"location":{"__type":"GeoPoint","latitude":41.7015,"longitude":-81.938},"username":"user2"}');
INSERT INTO object VALUES(4,'_User','5bdc10dc14eeb0dc47d10460',1737224493318,1737224493318,'{"location":{"__type":"GeoPoint","latitude":31.2781,"longitude":121.2398},"username":"user3"}');
INSERT INTO object VALUES(5,'_User','2d14be6339d934fb044a9636',1742062893318,1742062893318,'{"location":{"__type":"GeoPoint","latitude":35.73,"longitude":139.6457},"username":"user4"}');
INSERT INTO object VALUES(6,'_User','4142bf7c4a82e210463b6a4f',1725387693318,1725387693318,'{"location":{"__type":"GeoPoint","latitude":37.7958,"longitude":-122.4624},"username":"user5"}');
INSERT INTO object VALUES(7,'_User','f110214427c6760c9afc0771',1766082093318,1766082093318,'{"location":{"__type":"GeoPoint","latitude":40.9869,"longitude":-73.6117},"username":"user6"}');
INSERT INTO object VALUES(8,'_User','f49076cfceab22fc42b80463',1782930093318,1782930093318,'{"location":{"__type":"GeoPoint","latitude":41.5374,"longitude":-81.9779},"username":"user7"}');
INSERT INTO object VALUES(9,'_User','84759f787bbeb2dfd2ac8a2a',1762280493318,1762280493318,'{"location":{"__type":"GeoPoint","latitude":30.9539,"longitude":121.4644},"username":"user8"}');
INSERT INTO object VALUES(10,'_User','57e921ba8b381cc241eaf6dd',1776536493318,1776536493318,'{"location":{"__type":"GeoPoint","latitude":35.5245,"longitude":140.0016},"username":"user9"}');
INSERT INTO object VALUES(11,'_User','3d7f2ab542f2abe48cad544e',1768933293318,1768933293318,'{"location":{"__type":"GeoPoint","latitude":37.937,"longitude":-122.4626},"username":"user10"}');
INSERT INTO object VALUES(12,'_User','dc977fba5d6d68fca964864c',1762626093318,1762626093318,'{"location":{"__type":"GeoPoint","latitude":40.4707,"longitude":-73.5821},"username":"user11"}');
INSERT INTO object VALUES(13,'_User','a3e559ef5bc5ef122352048c',1784312493318,1784312493318,'{"location":{"__type":"GeoPoint","latitude":41.3193,"longitude":-81.6342},"username":"user12"}');
INSERT INTO object VALUES(14,'_User','2684efde072042f13fe26c66',1762971693318,1762971693318,'{"location":{"__type":"GeoPoint","latitude":31.2918,"longitude":121.5916},"username":"user13"}');
INSERT INTO object VALUES(15,'_User','dc91149059f30b5454a3b298',1742754093318,1742754093318,'{"location":{"__type":"GeoPoint","latitude":35.7992,"longitude":139.5354},"username":"user14"}');
INSERT INTO object VALUES(16,'BugleLock','f10da2ac5871b9447d20d3e4',1795371695118,1795371697270,'{"ACL":{},"acquiredAt":"2026-11-22T18:21:37.000Z","expiresAt":"2026-11-22T18:21:36.000Z","fence":1,"holder":"deployer on runner, process 3156","lastApplied":{"at":"2026-11-22T18:21:37.086Z","commit":"38735bc9063773624f2eadb41d6fdfe0d7cc0139","committedAt":"2026-11-22T17:50:43.000Z"},"run":"","workspace":"giants-demo"}');
INSERT INTO object VALUES(17,'BugleResource','fe93f74eefca8ae86fcd801e',1795371697195,1795371697195,'{"ACL":{},"fence":1,"fields":"{\"description\":\"Scores and news of the Giants\"}","kind":"Channel","name":"Giants","protected":false,"workspace":"giants-demo"}');
INSERT INTO object VALUES(18,'BugleResource','e945736c4454547d1f0dd0e6',1795371697215,1795371697215,'{"ACL":{},"fence":1,"fields":"{\"description\":\"Scores and news of the Mets\"}","kind":"Channel","name":"Mets","protected":false,"workspace":"giants-demo"}');
INSERT INTO object VALUES(19,'BugleResource','db98452ec71ce57ce6e10501',1795371697219,1795371697219,'{"ACL":{},"fence":1,"fields":"{\"description\":\"Devices that asked for injury reports\",\"where\":{\"injuryReports\":true}}","kind":"Segment","name":"injury-reports","protected":false,"workspace":"giants-demo"}');
INSERT INTO object VALUES(20,'BugleLedger','3549354d84faff38ae8ae8fd',1795371697221,1795371697262,'{"ACL":{},"actor":"deployer","attemptedAt":"2026-11-22T18:21:37.040Z","campaign":"giants-score","commit":"38735bc9063773624f2eadb41d6fdfe0d7cc0139","content":"sha256:f82c0474881ba156c386a8251976b30cfc44498ff1894f8b2d0855aea4e13519","delivery":"2czd4uxuc7lj4or3","devices":5,"encoder":1,"expiresAt":"2026-11-29T18:21:37.000Z","fence":1,"fingerprint":"sha256:61876e15b7d72149b0bb3fe81d5aa0c7dd3c927c73c24cd237bc1933629e65c9","generation":0,"intendedAt":"2026-11-22T18:21:37.040Z","invalidTokens":0,"missed":false,"notificationId":"2czd4uxuc7lj4or3","occurrence":"once","pushId":"kjn81ZWboDASvlQu","request":"{\"body\":{\"data\":{\"alert\":{\"body\":\"Giants scored against the A''s! It''s now 2-2.\",\"title\":\"Giants\"},\"badge\":\"Increment\",\"newsItem\":\"Man bites dog\",\"sound\":\"cheering.caf\"},\"expiration_interval\":604800,\"notification_id\":\"2czd4uxuc7lj4or3\",\"prod\":\"prod\",\"req_id\":\"2czd4uxuc7lj4or3\",\"where\":{\"channels\":{\"$in\":[\"Giants\"]},\"deviceType\":\"ios\",\"scores\":true}},\"endpoint\":\"push\"}","revision":1,"state":"sent","successes":5,"window":3600,"workspace":"giants-demo"}');
INSERT INTO object VALUES(21,'BugleLedger','5d408597a4c25cbe974ec239',1795371697232,1795371697266,'{"ACL":{},"actor":"deployer","attemptedAt":"2026-11-22T18:21:37.051Z","campaign":"hayes-injured","commit":"38735bc9063773624f2eadb41d6fdfe0d7cc0139","content":"sha256:80fa2b99d8725b9e12326a905da2f313460c1b60e4e801017fc1691bcd792ae8","delivery":"knp737ezcabbzv7g","devices":17,"encoder":1,"expiresAt":"2026-11-23T18:21:37.000Z","fence":1,"fingerprint":"sha256:3c5a404da898a0c517eb80da212b9f16aa90584b116ad583af2cb1678f9b73a7","generation":0,"intendedAt":"2026-11-22T18:21:37.051Z","invalidTokens":0,"missed":false,"notificationId":"knp737ezcabbzv7g","occurrence":"once","pushId":"DWhnC4Bb0BPGQB2t","request":"{\"body\":{\"data\":{\"alert\":\"Willie Hayes injured by own pop fly.\"},\"expiration_interval\":86400,\"notification_id\":\"knp737ezcabbzv7g\",\"prod\":\"prod\",\"req_id\":\"knp737ezcabbzv7g\",\"where\":{\"injuryReports\":true}},\"endpoint\":\"push\"}","revision":1,"state":"sent","successes":17,"window":3600,"workspace":"giants-demo"}');
INSERT INTO object VALUES(22,'BugleLedger','61734ebe8885e21eda00f998',1795371697246,1795371697259,'{"ACL":{},"actor":"deployer","attemptedAt":"2026-11-22T18:21:37.065Z","campaign":"season-tickets","commit":"38735bc9063773624f2eadb41d6fdfe0d7cc0139","content":"sha256:ae8910361c5695ff1e3496515e124178d80f94549806875d9b697664a27e967f","delivery":"n3kdgz6wbvxjlog2","encoder":1,"expiresAt":"2035-10-19T12:00:00.000Z","fence":1,"fingerprint":"sha256:9522106718bd252dc94f71d1e1ed1250659dab6b6afc8d37366d6450c94b62da","generation":0,"intendedAt":"2026-11-22T18:21:37.065Z","missed":false,"notificationId":"n3kdgz6wbvxjlog2","occurrence":"once","pushId":"pT3JjiL6El9NAds5","request":"{\"body\":{\"data\":{\"alert\":\"Season tickets on sale until October 12th\"},\"expiration_interval\":604800,\"notification_id\":\"n3kdgz6wbvxjlog2\",\"prod\":\"prod\",\"push_time\":\"2035-10-12T12:00:00.000Z\",\"req_id\":\"n3kdgz6wbvxjlog2\",\"where\":{\"channels\":{\"$in\":[\"Giants\",\"Mets\"]},\"deviceType\":\"ios\"}},\"endpoint\":\"push\"}","revision":1,"scheduledAt":"2035-10-12T12:00:00.000Z","scheduledId":1,"state":"scheduled","window":7200,"workspace":"giants-demo"}');
CREATE TABLE relation (
  ownerClass TEXT NOT NULL,
  ownerId TEXT NOT NULL,
  key TEXT NOT NULL,
  targetClass TEXT NOT NULL,
  targetId TEXT NOT NULL,
  PRIMARY KEY (ownerClass, ownerId, key, targetClass, targetId)
) WITHOUT ROWID;
CREATE TABLE push (
  id INTEGER PRIMARY KEY,
  objectId TEXT NOT NULL UNIQUE,
  notificationId TEXT NOT NULL,
  state TEXT NOT NULL,
  request TEXT NOT NULL,
  createdAt INTEGER NOT NULL
);
INSERT INTO push VALUES(1,'kjn81ZWboDASvlQu','2czd4uxuc7lj4or3','delivered','{"data":{"alert":{"body":"Giants scored against the A''s! It''s now 2-2.","title":"Giants"},"badge":"Increment","newsItem":"Man bites dog","sound":"cheering.caf"},"expiresAt":1795976497222,"incrementsBadge":true,"notificationId":"2czd4uxuc7lj4or3","objectId":"kjn81ZWboDASvlQu","prod":"prod","requestId":"2czd4uxuc7lj4or3","where":{"channels":{"$in":["Giants"]},"deviceType":"ios","scores":true}}',1795371697222);
INSERT INTO push VALUES(2,'DWhnC4Bb0BPGQB2t','knp737ezcabbzv7g','delivered','{"data":{"alert":"Willie Hayes injured by own pop fly."},"expiresAt":1795458097234,"incrementsBadge":false,"notificationId":"knp737ezcabbzv7g","objectId":"DWhnC4Bb0BPGQB2t","prod":"prod","requestId":"knp737ezcabbzv7g","where":{"injuryReports":true}}',1795371697234);
INSERT INTO push VALUES(3,'pT3JjiL6El9NAds5','n3kdgz6wbvxjlog2','scheduled','{"data":{"alert":"Season tickets on sale until October 12th"},"expiresAt":2076408000000,"fireAt":2075803200000,"incrementsBadge":false,"notificationId":"n3kdgz6wbvxjlog2","objectId":"pT3JjiL6El9NAds5","prod":"prod","requestId":"n3kdgz6wbvxjlog2","where":{"channels":{"$in":["Giants","Mets"]},"deviceType":"ios"}}',1795371697249);
CREATE TABLE scheduledPush (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  push INTEGER NOT NULL,
  fireAt INTEGER NOT NULL
);
INSERT INTO scheduledPush VALUES(1,3,2075803200000);
CREATE TABLE pushRecord (
  notificationId TEXT PRIMARY KEY,
  createdAt INTEGER NOT NULL,
  updatedAt INTEGER NOT NULL,
  document TEXT NOT NULL
);
INSERT INTO pushRecord VALUES('2czd4uxuc7lj4or3',1795371697222,1795371697222,'{"devices":5,"from-service":"push","invalidTokens":0,"iosSuccesses":5,"lcSuccesses":0,"msg":{"alert":{"body":"Giants scored against the A''s! It''s now 2-2.","title":"Giants"},"badge":"Increment","newsItem":"Man bites dog","sound":"cheering.caf"},"objectId":"kjn81ZWboDASvlQu","prod":"prod","status":"done","successes":5,"where":{"channels":{"$in":["Giants"]},"deviceType":"ios","scores":true,"valid":true}}');
INSERT INTO pushRecord VALUES('knp737ezcabbzv7g',1795371697234,1795371697234,'{"devices":17,"from-service":"push","invalidTokens":0,"iosSuccesses":10,"lcSuccesses":7,"msg":{"alert":"Willie Hayes injured by own pop fly."},"objectId":"DWhnC4Bb0BPGQB2t","prod":"prod","status":"done","successes":17,"where":{"injuryReports":true,"valid":true}}');
INSERT INTO pushRecord VALUES('n3kdgz6wbvxjlog2',1795371697249,1795371697249,'{"devices":0,"from-service":"push","invalidTokens":0,"iosSuccesses":0,"lcSuccesses":0,"msg":{"alert":"Season tickets on sale until October 12th"},"objectId":"pT3JjiL6El9NAds5","prod":"prod","push-time":"2035-10-12T12:00:00.000Z","status":"scheduled","successes":0,"where":{"channels":{"$in":["Giants","Mets"]},"deviceType":"ios","valid":true}}');
CREATE TABLE pushRequest (
  requestId TEXT PRIMARY KEY,
  push INTEGER NOT NULL,
  createdAt INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO pushRequest VALUES('2czd4uxuc7lj4or3',1,1795371697222);
INSERT INTO pushRequest VALUES('knp737ezcabbzv7g',2,1795371697234);
INSERT INTO pushRequest VALUES('n3kdgz6wbvxjlog2',3,1795371697249);
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY,
  device TEXT NOT NULL,
  push INTEGER NOT NULL,
  installation INTEGER,
  platform TEXT NOT NULL,
  vendor TEXT,
  badge INTEGER,
  receivedAt INTEGER NOT NULL
);
INSERT INTO inbox VALUES(1,'f6e6be24c176e70baf52d4e18450c52d9eef4dd4ecb591b0d5482455caee777b',1,7,'ios',NULL,3,1795371697222);
INSERT INTO inbox VALUES(2,'ff17f352691ccb6304f93780d12118f8bd1da6fea3e637e828c2ed133be6ebc1',1,9,'ios',NULL,8,1795371697222);
INSERT INTO inbox VALUES(3,'4035cbf9588488564e66da6444fc55ad7ae40bce4e34acefc468d6916df6ae0e',1,21,'ios',NULL,9,1795371697222);
INSERT INTO inbox VALUES(4,'d4064476f9bae363e85677a9cc3d929a7159ce7c3bf467ee0de1e98c25264568',1,27,'ios',NULL,9,1795371697222);
INSERT INTO inbox VALUES(5,'7aceb986e36ab9cffaf74dfceff2c2ceb0d90534c807b596b08f8961d3ec5b76',1,57,'ios',NULL,5,1795371697222);
INSERT INTO inbox VALUES(6,'c54b689974b70b25eb20b9249cb7ee70875664a2968f95799818167428470894',2,2,'ios',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(7,'f49cc2ef-5835-d344-49ad-66dc068c9a7e',2,4,'android',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(8,'e3c8d39e-040e-58b0-afde-f1c04644e719',2,5,'android',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(9,'4e5b03f3d0209981b430d4770fce40e1b598401081b083ac338d05fedea3d64e',2,8,'ios',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(10,'234db83d-928a-9d5e-1649-8f45eaeace21',2,11,'android',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(11,'bd7fa8e0-438d-a4fd-a293-53bf3c3024f8',2,18,'android',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(12,'e37ba2a0-94e5-290d-bb27-9706dc2bcdd4',2,23,'android',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(13,'ab3a02b3057d878e82fac9bb44d946b43dcd86778ae934269ce4810f4ad13e55',2,24,'ios',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(14,'3accc57589518de7910f326909a59e19dc725b76cf8a58d80b10999db7b18d45',2,25,'ios',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(15,'535228db54b56adab04ed1b337f8e7c8d85d42abbeecbaae14392dbb34ae5abc',2,29,'ios',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(16,'26e40622-7008-ec09-45c6-a53ca1a0cadd',2,31,'android',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(17,'f3ff1d0a90970140f070f7ccc746bf6431827f5687c75ae9a23f9a254578596f',2,39,'ios',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(18,'85e1d7900e3790aa24cbc58eaf35e537b32e233962a0df5ea85c95975bd377a5',2,44,'ios',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(19,'2bfbcca89e997a54bcb190e18ef528611d1b7c3b383ad61a6850f9f3d5ba1b6c',2,47,'ios',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(20,'5a9ea6f6-3046-f17d-6036-fe880ad8a704',2,50,'android',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(21,'7776e6486da1a1623c6387b3b26505fd63657565948e58f22ff8e76fc9f7c959',2,55,'ios',NULL,NULL,1795371697234);
INSERT INTO inbox VALUES(22,'938c96a9deefe65472d06996176c82ce03065c1dc760777189db12c17b1300ed',2,60,'ios',NULL,NULL,1795371697234);
CREATE TABLE deadToken (token TEXT PRIMARY KEY, reportedAt INTEGER) WITHOUT ROWID;
CREATE TABLE indexedField (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, path TEXT NOT NULL, filledTo INTEGER);
CREATE TABLE fieldValue (
  field INTEGER NOT NULL,
  value NOT NULL,
  installation INTEGER NOT NULL,
  PRIMARY KEY (field, value, installation)
) WITHOUT ROWID;
CREATE TABLE rowUsed (installation INTEGER NOT NULL);
INSERT INTO rowUsed VALUES(0);
CREATE TABLE deployLock (
  workspace TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  run TEXT NOT NULL,
  fence INTEGER NOT NULL,
  acquiredAt INTEGER,
  expiresAt INTEGER NOT NULL,
  lastApplied TEXT
) WITHOUT ROWID;
CREATE TABLE deployRecord (
  workspace TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  document TEXT NOT NULL,
  fence INTEGER NOT NULL,
  PRIMARY KEY (workspace, kind, key)
) WITHOUT ROWID;
CREATE TABLE provenTokens (
  environment TEXT NOT NULL,
  block INTEGER NOT NULL,
  bits BLOB NOT NULL,
  PRIMARY KEY (environment, block)
);
CREATE TABLE tokenChange (
  environment TEXT NOT NULL,
  installation INTEGER NOT NULL,
  PRIMARY KEY (environment, installation)
) WITHOUT ROWID;
CREATE TABLE registryIdentity (id TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO registryIdentity VALUES('feb0ab9861a5774d7171fa83962dfbcd');
CREATE TABLE journal (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          delivery TEXT NOT NULL UNIQUE,
          workspace TEXT NOT NULL,
          environment TEXT NOT NULL,
          batchSize INTEGER NOT NULL,
          raisesBadges INTEGER NOT NULL,
          freezing TEXT,
          batches INTEGER NOT NULL DEFAULT 0,
          targets INTEGER NOT NULL DEFAULT 0,
          waiting INTEGER NOT NULL DEFAULT 0,
          underWay INTEGER NOT NULL DEFAULT 0,
          accepted INTEGER NOT NULL DEFAULT 0,
          inDoubt INTEGER NOT NULL DEFAULT 0,
          missed INTEGER NOT NULL DEFAULT 0,
          leftOut TEXT NOT NULL DEFAULT '{}',
          lastOutcomeAt INTEGER,
          closedAt INTEGER
        );
CREATE TABLE journalBatch (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          journal INTEGER NOT NULL,
          number INTEGER NOT NULL,
          profile TEXT NOT NULL,
          devices INTEGER NOT NULL,
          state INTEGER NOT NULL,
          claimant TEXT,
          fence INTEGER,
          claimedAt INTEGER,
          UNIQUE (journal, number)
        );
CREATE TABLE journalPack (batch INTEGER PRIMARY KEY, targets BLOB NOT NULL);
CREATE TABLE journalTries (batch INTEGER PRIMARY KEY, tries BLOB NOT NULL);
CREATE TABLE journalTarget (
          id INTEGER PRIMARY KEY,
          journal INTEGER NOT NULL,
          state INTEGER NOT NULL,
          profile TEXT NOT NULL,
          token TEXT NOT NULL,
          installation INTEGER NOT NULL,
          badge INTEGER NOT NULL,
          attempts INTEGER NOT NULL,
          dueAt INTEGER,
          reason TEXT
        );
CREATE TABLE journalRefusal (
          journal INTEGER NOT NULL,
          reason TEXT NOT NULL,
          devices INTEGER NOT NULL,
          PRIMARY KEY (journal, reason)
        ) WITHOUT ROWID;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('scheduledPush',1);
CREATE INDEX channelByInstallation ON channel(installation);
CREATE TRIGGER channelAdded AFTER INSERT ON installation BEGIN
  INSERT OR IGNORE INTO channel(name, installation)
    SELECT value, NEW.id FROM json_each(NEW.document, '$.channels') WHERE type = 'text';
END;
CREATE TRIGGER channelChanged AFTER UPDATE OF document ON installation
WHEN json_extract(OLD.document, '$.channels') IS NOT json_extract(NEW.document, '$.channels') BEGIN
  DELETE FROM channel WHERE installation = OLD.id;
  INSERT OR IGNORE INTO channel(name, installation)
    SELECT value, NEW.id FROM json_each(NEW.document, '$.channels') WHERE type = 'text';
END;
CREATE TRIGGER channelRemoved AFTER DELETE ON installation BEGIN
  DELETE FROM channel WHERE installation = OLD.id;
END;
CREATE INDEX objectByCreation ON object(class, createdAt);
CREATE INDEX pushByNotification ON push(notificationId);
CREATE INDEX pushByState ON push(state) WHERE state = 'queued';
CREATE INDEX scheduledPushByTime ON scheduledPush(fireAt);
CREATE INDEX pushRecordByCreation ON pushRecord(createdAt);
CREATE INDEX inboxByDevice ON inbox(device);
CREATE INDEX inboxByPush ON inbox(push, device);
CREATE INDEX deadTokenUnreported ON deadToken(token) WHERE reportedAt IS NULL;
CREATE INDEX objectByUpdate ON object(class, updatedAt);
CREATE TRIGGER fieldAdded AFTER INSERT ON installation WHEN EXISTS (SELECT 1 FROM indexedField) BEGIN
  INSERT OR IGNORE INTO fieldValue(field, value, installation) SELECT field, value, installation FROM (
  SELECT f.id AS field, NEW.id AS installation, CASE v.type WHEN 'true' THEN x'01' WHEN 'false' THEN x'00'
    WHEN 'object' THEN CAST('p' || json_extract(v.value, '$.objectId') AS BLOB) ELSE v.value END AS value
  FROM indexedField AS f, json_each(CASE json_type(NEW.document, f.path) WHEN 'array' THEN json_extract(NEW.document, f.path) WHEN 'true' THEN '[true]' WHEN 'false' THEN '[false]' ELSE json_array(json_extract(NEW.document, f.path)) END) AS v
  WHERE 1)
WHERE value IS NOT NULL AND (typeof(value) <> 'text' OR length(value) <= 200);
END;
CREATE TRIGGER fieldChanged AFTER UPDATE OF document ON installation
WHEN EXISTS (SELECT 1 FROM indexedField) BEGIN
  DELETE FROM fieldValue WHERE (field, value, installation) IN (SELECT field, value, installation FROM (
  SELECT f.id AS field, OLD.id AS installation, CASE v.type WHEN 'true' THEN x'01' WHEN 'false' THEN x'00'
    WHEN 'object' THEN CAST('p' || json_extract(v.value, '$.objectId') AS BLOB) ELSE v.value END AS value
  FROM indexedField AS f, json_each(CASE json_type(OLD.document, f.path) WHEN 'array' THEN json_extract(OLD.document, f.path) WHEN 'true' THEN '[true]' WHEN 'false' THEN '[false]' ELSE json_array(json_extract(OLD.document, f.path)) END) AS v
  WHERE (json_extract(OLD.document, f.path) IS NOT json_extract(NEW.document, f.path) OR json_type(OLD.document, f.path) IS NOT json_type(NEW.document, f.path)))
WHERE value IS NOT NULL AND (typeof(value) <> 'text' OR length(value) <= 200));
  INSERT OR IGNORE INTO fieldValue(field, value, installation) SELECT field, value, installation FROM (
  SELECT f.id AS field, NEW.id AS installation, CASE v.type WHEN 'true' THEN x'01' WHEN 'false' THEN x'00'
    WHEN 'object' THEN CAST('p' || json_extract(v.value, '$.objectId') AS BLOB) ELSE v.value END AS value
  FROM indexedField AS f, json_each(CASE json_type(NEW.document, f.path) WHEN 'array' THEN json_extract(NEW.document, f.path) WHEN 'true' THEN '[true]' WHEN 'false' THEN '[false]' ELSE json_array(json_extract(NEW.document, f.path)) END) AS v
  WHERE (json_extract(OLD.document, f.path) IS NOT json_extract(NEW.document, f.path) OR json_type(OLD.document, f.path) IS NOT json_type(NEW.document, f.path)))
WHERE value IS NOT NULL AND (typeof(value) <> 'text' OR length(value) <= 200);
END;
CREATE TRIGGER fieldRemoved AFTER DELETE ON installation WHEN EXISTS (SELECT 1 FROM indexedField) BEGIN
  DELETE FROM fieldValue WHERE (field, value, installation) IN (SELECT field, value, installation FROM (
  SELECT f.id AS field, OLD.id AS installation, CASE v.type WHEN 'true' THEN x'01' WHEN 'false' THEN x'00'
    WHEN 'object' THEN CAST('p' || json_extract(v.value, '$.objectId') AS BLOB) ELSE v.value END AS value
  FROM indexedField AS f, json_each(CASE json_type(OLD.document, f.path) WHEN 'array' THEN json_extract(OLD.document, f.path) WHEN 'true' THEN '[true]' WHEN 'false' THEN '[false]' ELSE json_array(json_extract(OLD.document, f.path)) END) AS v
  WHERE 1)
WHERE value IS NOT NULL AND (typeof(value) <> 'text' OR length(value) <= 200));
END;
CREATE TRIGGER rowRemoved AFTER DELETE ON installation WHEN OLD.id > (SELECT installation FROM rowUsed) BEGIN
  UPDATE rowUsed SET installation = OLD.id;
END;
CREATE TRIGGER tokenChanged AFTER UPDATE OF document ON installation
WHEN OLD.deviceToken IS NOT NEW.deviceToken BEGIN
  INSERT OR IGNORE INTO tokenChange(environment, installation)
    VALUES ('production', NEW.id), ('development', NEW.id);
END;
CREATE TRIGGER tokenRemoved AFTER DELETE ON installation BEGIN
  DELETE FROM tokenChange
    WHERE environment IN ('production', 'development') AND installation = OLD.id;
END;
CREATE INDEX pushBeingSent ON push(state) WHERE state = 'sending';
CREATE TRIGGER rowUsedAgain AFTER INSERT ON installation WHEN NEW.id <= (SELECT installation FROM rowUsed) BEGIN
  INSERT OR IGNORE INTO tokenChange(environment, installation)
    VALUES ('production', NEW.id), ('development', NEW.id);
END;
CREATE UNIQUE INDEX installationByToken ON installation(deviceToken);
CREATE UNIQUE INDEX installationByInstallationId ON installation(installationId);
CREATE INDEX installationByUpdate ON installation(updatedAt);
CREATE INDEX installationByCreation ON installation(createdAt);
CREATE INDEX installationByProfile ON installation(deviceProfile);
CREATE INDEX installationByType ON installation(deviceType);
CREATE INDEX invalidInstallation ON installation(valid) WHERE valid = 0;
CREATE INDEX journalBatchFresh ON journalBatch(journal, number) WHERE state = 0;
CREATE INDEX journalBatchOpen ON journalBatch(journal, claimedAt) WHERE state = 1;
CREATE INDEX journalTargetDue ON journalTarget(journal, dueAt) WHERE state = 1;
CREATE INDEX journalTargetInDoubt ON journalTarget(journal) WHERE state = 2;
COMMIT;
